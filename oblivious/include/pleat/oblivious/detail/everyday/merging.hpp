// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/loop.hpp>
#include <pleat/oblivious/range_options.hpp>

// Two sorted ranges become one. Any part of the result can be merged by itself: a binary search
// tells where it begins in both.
namespace pleat::detail::everyday {

template <class A, class B, class Out, class Compare, class Projection> class merging {
 public:
  merging(A a, std::size_t a_size, B b, std::size_t b_size, Out out, Compare& less,
          Projection& projection)
      : a_(a),
        b_(b),
        out_(out),
        a_size_(a_size),
        b_size_(b_size),
        less_(less),
        projection_(projection) {}

  [[nodiscard]] std::size_t size() const noexcept { return a_size_ + b_size_; }

  /// Writes a part of the result.
  void merge(interval<> part) const {
    std::size_t i = taken_from_a(part.first);
    std::size_t j = part.first - i;
    const std::size_t i_last = taken_from_a(part.last);
    const std::size_t j_last = part.last - i_last;
    std::size_t k = part.first;
    while (i < i_last && j < j_last) {
      const bool second = b_before_a(j, i);
      if constexpr (std::is_same_v<std::iter_reference_t<A>, std::iter_reference_t<B>>) {
        at(out_, k++) = second ? at(b_, j) : at(a_, i);  // numbers: without a branch
      } else if (second) {
        at(out_, k++) = at(b_, j);
      } else {
        at(out_, k++) = at(a_, i);
      }
      i += second ? 0 : 1;
      j += second ? 1 : 0;
    }
    for (; i < i_last; ++i) at(out_, k++) = at(a_, i);
    for (; j < j_last; ++j) at(out_, k++) = at(b_, j);
  }

 private:
  [[nodiscard]] bool b_before_a(std::size_t j, std::size_t i) const {
    return static_cast<bool>(
        std::invoke(less_, shown(b_, j, projection_), shown(a_, i, projection_)));
  }

  /// How many of the first k results come from a: of equal elements those of a come first.
  [[nodiscard]] std::size_t taken_from_a(std::size_t k) const {
    std::size_t low = k - std::min(k, b_size_);
    std::size_t high = std::min(k, a_size_);
    while (low < high) {
      const std::size_t i = low + (high - low) / 2;
      if (b_before_a(k - i - 1, i))
        high = i;
      else
        low = i + 1;
    }
    return low;
  }

  A a_;
  B b_;
  Out out_;
  std::size_t a_size_, b_size_;
  Compare& less_;
  Projection& projection_;
};

template <class Merging>
void merge(venue& where, const range_options& options, const Merging& all) {
  const grouping groups(all.size(), true);
  loop("merge", where, options.vps, options.report, groups.count(),
       [&](std::size_t first, std::size_t last) {
         if (first < last) all.merge({groups.group(first).first, groups.group(last - 1).last});
       });
}

}  // namespace pleat::detail::everyday
