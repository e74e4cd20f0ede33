// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/selection_search.hpp>
#include <pleat/oblivious/detail/everyday/stable_partition.hpp>
#include <pleat/oblivious/detail/sort/checked_sort.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>

// Selection, the k-th of n elements to its place: sample, partition into what lies below, between
// and above two elements of the sample, and go on with the part that has the k-th.
namespace pleat::detail::everyday {

/// Brings the k-th of n elements by less(i, j) to its place, those that are not greater before it.
/// less compares elements by their places. finish(left) does the same among those that are left at
/// last. Requires: k < n.
template <std::random_access_iterator I, class Less, class Finish>
void select(executor& where, const range_options& options, I first, std::size_t n, std::size_t k,
            const Less& less, const Finish& finish) {
  const auto to = [first](std::size_t i) {
    return first + static_cast<std::iter_difference_t<I>>(i);
  };
  range_options how = options;
  const auto sifted = [&](interval<> some, const auto& chosen) {
    const std::size_t count = everyday::partition_stably<others::follow>(
        "nth_element", where, how, to(some.first), some.size(),
        [&](std::size_t i) { return chosen(some.first + i); });
    if (how.report != nullptr)
      how.report->leave_uncounted(
          "a selection is several runs, with samples taken in common memory");
    how.report = nullptr;
    return some.first + count;
  };
  selection_search search(n, k);
  bool all_equal = false;
  // Elements in front stay in order when others are sifted, and so does the last.
  const auto low_pivot = [&](std::size_t high) {
    const alone_scope alone;
    std::vector<std::size_t> sample = search.sample();
    sorting::checked_sort(sample.data(), sample.data() + sample.size(), less);
    const pivots found = search.choose(sample);
    all_equal = !less(found.low, found.high);
    std::ranges::iter_swap(to(found.high), to(high));
    if (found.low == found.high) return high;
    return found.low == high ? found.high : found.low;
  };
  while (search.goes_on()) {
    const interval<> left = search.left();
    const std::size_t high = left.last - 1;
    const std::size_t low = low_pivot(high);
    const std::size_t below = sifted(left, [&](std::size_t i) { return less(i, low); });
    if (search.ends_below(below)) continue;
    const std::size_t above =
        sifted({below, left.last}, [&](std::size_t i) { return !less(high, i); });
    search.ends(below, above, all_equal);
  }
  const alone_scope alone;
  if (!search.settled()) finish(search.left());
}

}  // namespace pleat::detail::everyday
