// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/blocks_of_vps.hpp>
#include <pleat/oblivious/detail/sort/merge_two.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Two sorted ranges become one. Any part of the result can be merged by itself: a binary search
// tells where it begins in both.
namespace pleat::detail::everyday {

template <class A, class B, class Out, class Order, class Projection> class merging {
 public:
  merging(A a, std::size_t a_size, B b, std::size_t b_size, Out out, Order& order,
          Projection& projection)
      : a_(a),
        b_(b),
        out_(out),
        a_size_(a_size),
        b_size_(b_size),
        order_(order),
        projection_(projection) {}

  [[nodiscard]] std::size_t size() const noexcept { return a_size_ + b_size_; }

  /// Writes a part of the result, of which the elements before the part took `i` from a; returns
  /// how many the part and these took. Whatever the order answers, the part is written, and no
  /// element is written twice.
  [[nodiscard]] std::size_t merge(std::size_t i, interval<> part) const {
    if constexpr (in_arrays) {
      if (part.size() >= few) {
        const std::size_t j = part.first - i;
        sorting::strided_run<value> a{a_ + i, a_size_ - i};
        sorting::strided_run<value> b{b_ + j, b_size_ - j};
        // merge_two asks only whether an element of b comes before one of a.
        const auto order = [this](const value& x, const value& y) {
          return static_cast<bool>(
              std::invoke(order_, std::invoke(projection_, const_cast<std::iter_reference_t<B>>(x)),
                          std::invoke(projection_, const_cast<std::iter_reference_t<A>>(y))));
        };
        sorting::merge_two(a, b, part.size(), order, out_ + part.first);
        return a_size_ - a.left;
      }
    }
    return merge_singly(i, part);
  }

  /// Writes a VP's part of the result; returns the elements of a that are in it. Counts the
  /// elements that it takes and looks at to find them, where the inputs lie, and the results.
  [[nodiscard]] interval<> merge(vp& me, interval<> part) const {
    const blocks_of_vps a(me, a_size_), b(me, b_size_);
    const std::size_t first = taken_from_a(part.first, [&](std::size_t i, std::size_t j) {
      a.read({i, i + 1});
      b.read({j, j + 1});
    });
    const interval<> taken{first, merge(first, part)};
    a.read(taken);
    b.read({part.first - taken.first, part.last - taken.last});
    blocks_of_vps(me, size()).write(part);
    return taken;
  }

 private:
  /// Number of the first k results that come from a: of equal elements those of a come first.
  /// seen(i, j): elements i of a and j of b are compared.
  template <class Seen>
  [[nodiscard]] std::size_t taken_from_a(std::size_t k, const Seen& seen) const {
    std::size_t low = k - std::min(k, b_size_);
    std::size_t high = std::min(k, a_size_);
    while (low < high) {
      const std::size_t i = low + (high - low) / 2;
      seen(i, k - i - 1);
      if (b_before_a(k - i - 1, i))
        high = i;
      else
        low = i + 1;
    }
    return low;
  }

  using value = std::iter_value_t<A>;
  static constexpr bool alike = std::is_same_v<std::iter_reference_t<A>, std::iter_reference_t<B>>;
  template <class I>
  static constexpr bool in_array = std::is_same_v<I, value*> || std::is_same_v<I, const value*>;
  static constexpr bool in_arrays = in_array<A> && in_array<B> && std::is_same_v<Out, value*> &&
                                    byte_copyable<value> &&
                                    std::is_trivially_copy_constructible_v<value>;
  /// Elements that are not worth four chains.
  static constexpr std::size_t few = 64;

  [[nodiscard]] std::size_t merge_singly(std::size_t i, interval<> part) const {
    std::size_t j = part.first - i;
    std::size_t k = part.first;
    while (k < part.last && i < a_size_ && j < b_size_) {
      // Steps that end neither input.
      const std::size_t stop = k + std::min({part.last - k, a_size_ - i, b_size_ - j});
      while (k < stop) {
        const bool second = b_before_a(j, i);
        if constexpr (alike) {  // without a branch that depends on the elements
          everyday::at(out_, k++) = second ? everyday::at(b_, j) : everyday::at(a_, i);
          i += second ? 0 : 1;
          j += second ? 1 : 0;
        } else if (second) {
          everyday::at(out_, k++) = everyday::at(b_, j++);
        } else {
          everyday::at(out_, k++) = everyday::at(a_, i++);
        }
      }
    }
    for (; k < part.last && i < a_size_; ++i) everyday::at(out_, k++) = everyday::at(a_, i);
    for (; k < part.last; ++j) everyday::at(out_, k++) = everyday::at(b_, j);
    return i;
  }

  [[nodiscard]] bool b_before_a(std::size_t j, std::size_t i) const {
    return static_cast<bool>(std::invoke(order_, everyday::projected(b_, j, projection_),
                                         everyday::projected(a_, i, projection_)));
  }

  A a_;
  B b_;
  Out out_;
  std::size_t a_size_, b_size_;
  Order& order_;
  Projection& projection_;
};

/// Merges: each VP searches where its part begins, and merges it. Parts follow one another if the
/// ranges are sorted and the order is one. Otherwise the caller's thread merges again: only the
/// element behind the last one tells which is next, so that none is lost.
template <class Merging>
void merge(executor& where, const range_options& options, pace how, const Merging& all) {
  const grouping groups(all.size(), true);
  const auto elements = [&groups](std::size_t first, std::size_t last) {
    return interval<>{groups.group(first).first, groups.group(last - 1).last};
  };
  std::size_t taken = 0;
  const remainder left = everyday::start_alone(
      "merge", where, options, groups.count(),
      [&](std::size_t first, std::size_t last) { taken = all.merge(taken, elements(first, last)); },
      how, groups.width());
  if (left.done == groups.count()) return;
  const interval<> rest = elements(left.done, groups.count());
  std::vector<interval<>> of_a(left.vps);
  where.run(left.vps, options.report, [&](vp& me) -> task<> {
    of_a[me.rank()] = all.merge(me, rest.share(me.rank(), me.size()));
    co_await me.sync(0);
  });
  std::size_t next = taken;
  for (const interval<>& part : of_a) {
    if (part.first != next) {
      const alone_scope alone;
      static_cast<void>(all.merge(taken, rest));
      return;
    }
    next = part.last;
  }
}

}  // namespace pleat::detail::everyday
