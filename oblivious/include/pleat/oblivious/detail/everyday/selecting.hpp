// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

#include <pleat/oblivious/detail/everyday/moves.hpp>
#include <pleat/oblivious/detail/everyday/stable_partition.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::everyday {

/// Places of two elements between which the k-th is expected; they may be the same.
struct pivots {
  std::size_t low, high;
};

/// Search for the k-th of n elements, by numbers of elements alone: each round looks at a sample,
/// and learns how many elements are less than two of its elements and how many greater. What it
/// decides depends on n, k and the elements, not on where these are.
///
/// If the comparator is no strict weak order, all elements may be left in every round. So a round
/// without progress ends the search, and so do more rounds than any strict weak order needs.
///
/// Source: Floyd, Rivest, Expected Time Bounds for Selection, 1975.
class selection_search {
 public:
  /// Number of elements from which the k-th is selected at once. A fixed number, so that the order
  /// of the result does not depend on the number of VPs.
  static constexpr std::size_t selected_at_once = std::size_t{1} << 15;

  /// Requires: k < n.
  selection_search(std::size_t n, std::size_t k) noexcept : left_{0, n}, k_(k) {}

  /// The places among which the k-th element is.
  [[nodiscard]] const interval<>& left() const noexcept { return left_; }
  /// Tells whether another round is to be done; else the k-th of those left is selected at once,
  /// unless that is settled.
  [[nodiscard]] bool goes_on() const noexcept {
    return !settled_ && rounds_ < most_rounds && left_.size() > selected_at_once;
  }
  /// Tells whether the k-th is in place, or never will be, because the comparator is no strict weak
  /// order.
  [[nodiscard]] bool settled() const noexcept { return settled_; }

  /// Places of about 2√n of the n elements that are left, at random, some of them perhaps twice.
  [[nodiscard]] std::vector<std::size_t> sample() const {
    const random_stream draw(left_.size());
    std::vector<std::size_t> places(
        static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(left_.size()))));
    for (std::size_t i = 0; i < places.size(); ++i)
      places[i] = left_.first + draw.below(left_.size(), i);
    return places;
  }

  /// Chooses two pivots of the sample, `sorted`, on both sides of the k-th. Of s elements at random
  /// the j-th has about the rank j·n/s, with a standard deviation of at most n/(2√s); the pivots
  /// are three of these away.
  [[nodiscard]] pivots choose(const std::vector<std::size_t>& sorted) const {
    const auto size = static_cast<double>(sorted.size());
    const double rank =
        static_cast<double>(k_ - left_.first) / static_cast<double>(left_.size()) * size;
    const double margin = lone_ ? 0 : 1.5 * std::sqrt(size);
    const auto at = [&](double place) {
      return sorted[static_cast<std::size_t>(std::clamp(place, 0.0, size - 1))];
    };
    return {at(rank - margin), at(rank + margin)};
  }

  /// Ends the round if the k-th is one of the elements less than the low pivot, which are in front
  /// of place `below`; those behind stay as they are. Returns whether it is.
  [[nodiscard]] bool ends_below(std::size_t below) noexcept {
    if (k_ >= below) return false;
    go_on_with({left_.first, below}, false);
    return true;
  }
  /// Ends the round if the k-th is not below: those greater than the high pivot come to place
  /// `above` and behind it.
  void ends(std::size_t below, std::size_t above, bool pivots_equal) noexcept {
    const bool between = k_ < above;
    const interval<> next = between ? interval<>{below, above} : interval<>{above, left_.last};
    // Few distinct values: the next pivot's equals, at least, are done with.
    go_on_with(next, between && 2 * next.size() > left_.size());
    if (between && pivots_equal) settled_ = true;
  }

 private:
  static constexpr unsigned most_rounds = 64;

  void go_on_with(const interval<>& next, bool lone) noexcept {
    if (next == left_ && (lone_ || !lone)) settled_ = true;
    left_ = next;
    lone_ = lone;
    ++rounds_;
  }

  interval<> left_;
  std::size_t k_;
  unsigned rounds_ = 0;
  bool lone_ = false;  // the next pivots are a single element near the k-th
  bool settled_ = false;
};

// Selection, the k-th of n elements to its place: sample, partition into what lies below, between
// and above two elements of the sample, and go on with the part that has the k-th.

/// Brings the k-th of n elements by less(i, j) to its place, those that are not greater before it.
/// less compares elements by their places. finish(left) does the same among those that are left at
/// last. Requires: k < n.
template <std::random_access_iterator I, class Less, class Finish>
void select(executor& where, const range_options& options, I first, std::size_t n, std::size_t k,
            const Less& less, const Finish& finish) {
  const auto to = [&first](std::size_t i) { return everyday::iterator_at(first, i); };
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
