// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Merges two sorted ranges into one. Any part of the result can be merged by itself: a binary
// search finds where it begins in both.
namespace pleat {

namespace detail::everyday {

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

  /// Writes a part of the result, before which there are `i` elements of a; returns the number of
  /// elements of a up to the end of the part. Whatever the order answers, the whole part is
  /// written, and no element is written twice.
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
  /// elements of other VPs' blocks that it reads, also to find the part, and that it writes.
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
    std::size_t low = k - std::min(k, b_size_), high = std::min(k, a_size_);
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
  /// Least size of a part that is merged in four chains.
  static constexpr std::size_t few = 64;

  [[nodiscard]] std::size_t merge_singly(std::size_t i, interval<> part) const {
    std::size_t j = part.first - i, k = part.first;
    while (k < part.last && i < a_size_ && j < b_size_) {
      // Takes as many steps as exhaust neither input.
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

/// Merges: each VP searches where its part begins, and merges it. The parts fit together if the
/// ranges are sorted by a strict weak order. Otherwise the caller's thread merges all of them
/// again, one element after the other, so that none is lost.
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

/// Type to which keys of two types are converted for comparison, if they are numbers.
template <class A, class B> struct compared_as : std::type_identity<A> {};
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) struct compared_as<A, B>
    : std::common_type<A, B> {
};

template <divisible_range A, divisible_range B, divisible_range O, class Compare, class Projection>
std::ranges::borrowed_iterator_t<O> merge(executor&& where, A& a, B& b, O&& out, Compare& less,
                                          Projection& given, const range_options& options) {
  auto& projection = detail::projection_in<range_options>(given);
  using shows = projection_type<Projection>;
  using keys = compared_as<shown_value<std::ranges::iterator_t<A>, shows>,
                           shown_value<std::ranges::iterator_t<B>, shows>>;
  auto&& order = sorting::order_by<typename keys::type>(less);
  const merging all(everyday::begin_of(a), everyday::size_of(a), everyday::begin_of(b),
                    everyday::size_of(b), everyday::changeable_begin_of(out), order, projection);
  everyday::require_places("merge", all.size(), everyday::size_of(out));
  everyday::merge(where, detail::options_in(given, options),
                  pace_of<std::ranges::range_value_t<A>, Compare, shows>, all);
  return everyday::place(std::forward<O>(out), all.size());
}

template <class A, class B, class O, class Compare, class Projection>
concept merges_to = divisible_range<A> && divisible_range<B> && divisible_range<O> &&
    std::mergeable<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>,
                   std::ranges::iterator_t<O>, Compare, projection_type<Projection>,
                   projection_type<Projection>>;

}  // namespace detail::everyday

/// Merges two sorted ranges into `out`; returns the end of the result. Elements of `a` come before
/// equal elements of `b`.
///
/// ```cpp
/// pleat::merge(machine, keys, more, all);
/// pleat::merge(machine, people, others, everybody, {}, &person::name);
/// ```
///
/// Requires: both ranges are sorted by less(projection(x), projection(y)), as sort leaves them,
/// NaNs last; an output that is long enough for both and shares no memory with them. If they are
/// not sorted, or `less` is no strict weak order, the output holds the elements of both in an
/// unspecified order. The contract of all everyday algorithms: range_options.hpp.
///
/// Cost: n comparisons, and log2 n for each VP, to find its part of the result by binary search;
/// one 0-superstep. Throws: what `less`, the projection and copies throw; usage_error for an output
/// that is too short. Source: Deo, Sarkar, Parallel Algorithms for Merging and Sorting, 1991.
template <class A, class B, class O, class Compare = std::ranges::less,
          class Projection = range_options>
requires detail::everyday::merges_to<A, B, O, Compare, Projection>
    std::ranges::borrowed_iterator_t<O> merge(machine& on, A&& a, B&& b, O&& out, Compare less = {},
                                              Projection projection = {},
                                              const range_options& options = {}) {
  return detail::everyday::merge({on}, a, b, std::forward<O>(out), less, projection, options);
}
template <class A, class B, class O, class Compare = std::ranges::less,
          class Projection = range_options>
requires detail::everyday::merges_to<A, B, O, Compare, Projection>
    std::ranges::borrowed_iterator_t<O> merge(A&& a, B&& b, O&& out, Compare less = {},
                                              Projection projection = {},
                                              const range_options& options = {}) {
  return detail::everyday::merge({}, a, b, std::forward<O>(out), less, projection, options);
}

/// Merges two sorted distributed arrays into a third, `out`; returns the number of elements
/// written. Elements of `a` come before equal elements of `b`. The result is that of merge of
/// arrays.
///
/// ```cpp
/// pleat::merge(machine, distributed_keys, distributed_more, distributed_all);
/// pleat::merge(machine, distributed_a, distributed_b, distributed_c, {}, &person::name);
/// ```
///
/// Requires: a and b are sorted by less(projection(x), projection(y)), a strict weak order, the
/// same on all ranks; `out` is neither of them and has at least as many elements as both together.
/// If it has more, the elements behind the result do not change. Collective, see distributed.
///
/// Cost, of each VP (P of them on R ranks, n elements in all): O(log n) supersteps, in each of
/// which it gets up to 32 KiB of samples from each rank; one superstep of n/P elements sent and
/// received; n/P comparisons. Memory of each rank besides the blocks: its share of a and b while it
/// is sent, and its share of the result while it arrives.
///
/// Throws, on all ranks: what `less`, the projection and copies throw (`out` then has some elements
/// of both); usage_error (`out` is too short, or is one of the inputs). If the inputs are not
/// sorted, or `less` is no strict weak order, `out` holds the elements of both in an unspecified
/// order.
///
/// Source: as sort of distributed data.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires std::mergeable<const T*, const T*, T*, Compare, Projection, Projection> std::size_t merge(
    machine& on, const distributed<T>& a, const distributed<T>& b, distributed<T>& out,
    Compare less = {}, Projection projection = {}) {
  auto call = a.collective(on, "merge");
  const std::size_t n = a.size() + b.size();
  call.check([&] {
    detail::everyday::require_places("merge", n, out.size());
    if (&out == &a || &out == &b)
      throw usage_error("merge: the output is one of the inputs; give it its own elements");
  });
  if (call.alone()) {
    call.own([&] {
      pleat::merge(on, a.local(), b.local(), out.local(), std::move(less), std::move(projection));
    });
  } else if constexpr (byte_copyable<T>) {
    namespace everyday = detail::everyday;
    auto&& order = detail::sorting::order_by<everyday::shown_value<const T*, Projection>>(less);
    const auto before = [&](const T& x, const T& y) {
      return static_cast<bool>(
          std::invoke(order, std::invoke(projection, x), std::invoke(projection, y)));
    };
    using merging = detail::distribution::chain_merge<T, decltype(before)>;
    const merging merge_pieces(before);
    detail::distribution::merge_program<T, merging> program(
        {{{a.size(), a.local()}, {b.size(), b.local()}}}, out.size(), a.rank(), merge_pieces,
        out.local().data());
    const detail::distribution::agreed_words words{b.size(), out.size()};
    call.run([&](vp& me, const detail::distribution::rank_places& places) -> task<> {
      co_await detail::distribution::agree(me, places, a.rank(), words, "merge: sizes");
      co_await program(me, places);
    });
  }
  return n;
}

}  // namespace pleat
