// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

#include <pleat/oblivious/detail/everyday/shuffling.hpp>
#include <pleat/oblivious/detail/everyday/sifting.hpp>
#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>

// The k-th of n elements comes to its place: sample, sift into what lies below, between and above
// two elements of the sample, and go on with the part that has the k-th.
namespace pleat::detail::everyday {

/// So many elements are left to the standard library. A fixed number, so that the order of the
/// result does not depend on the number of VPs.
inline constexpr std::size_t selected_at_once = std::size_t{1} << 15;

/// The places of two elements between which the k-th is expected; they may be the same one.
struct pivots {
  std::size_t low, high;
};

/// Of `some` elements, in which the k-th is wanted. less(i, j) compares two of them. `lone`: a
/// single element near the k-th. Of s elements at random the j-th has about the rank j·n/s, with a
/// standard deviation of at most n/(2√s); the pivots are three of these away from the k-th.
template <class Less>
[[nodiscard]] pivots choose_pivots(interval<> some, std::size_t k, bool lone, const Less& less) {
  const double n = static_cast<double>(some.size());
  const auto size = static_cast<std::size_t>(2 * std::sqrt(n));
  const drawn_numbers draw(some.size());
  std::vector<std::size_t> sample(size);
  for (std::size_t i = 0; i < size; ++i) sample[i] = some.first + draw.below(some.size(), i);
  std::ranges::sort(sample, less);
  const double rank = static_cast<double>(k - some.first) / n * static_cast<double>(size);
  const double margin = lone ? 0 : 1.5 * std::sqrt(static_cast<double>(size));
  const auto at = [&](double place) {
    return sample[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(size - 1)))];
  };
  return {at(rank - margin), at(rank + margin)};
}

/// Brings the k-th of n elements by less(i, j) to its place, those that are not greater before it.
/// less compares elements by their places. Requires: k < n.
template <std::random_access_iterator I, class Less, class Finish>
void select(venue& where, const range_options& options, I first, std::size_t n, std::size_t k,
            const Less& less, const Finish& finish) {
  const auto to = [first](std::size_t i) {
    return first + static_cast<std::iter_difference_t<I>>(i);
  };
  range_options how = options;
  const auto sifted = [&](interval<> some, const auto& chosen) {
    const std::size_t count =
        sift<others::follow>("nth_element", where, how, to(some.first), some.size(),
                             [&](std::size_t i) { return chosen(some.first + i); });
    how.report = nullptr;
    return some.first + count;
  };
  interval<> left{0, n};
  bool lone = false;
  while (left.size() > selected_at_once) {
    const pivots found = choose_pivots(left, k, lone, less);
    const bool all_equal = !less(found.low, found.high);
    // Those that stay in order when others are sifted: in front, and last.
    const std::size_t high = left.last - 1;
    std::ranges::iter_swap(to(found.high), to(high));
    const std::size_t low = found.low == found.high ? high
                            : found.low == high     ? found.high
                                                    : found.low;
    const std::size_t below = sifted(left, [&](std::size_t i) { return less(i, low); });
    if (k < below) {
      left = {left.first, below};
      lone = false;
      continue;
    }
    const std::size_t above =
        sifted({below, left.last}, [&](std::size_t i) { return !less(high, i); });
    if (k < above && all_equal) return;
    const interval<> next = k < above ? interval<>{below, above} : interval<>{above, left.last};
    // Few distinct values: the next pivot's equals, at least, are done with.
    lone = k < above && 2 * next.size() > left.size();
    left = next;
  }
  finish(left);
}

}  // namespace pleat::detail::everyday
