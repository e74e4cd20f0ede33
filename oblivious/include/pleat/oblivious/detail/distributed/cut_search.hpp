// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/sort/checked_sort.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::distribution {

/// Greatest number of samples of T that a rank sends for one boundary at a time: few enough to stay
/// in the cache.
template <class T>
inline constexpr std::size_t most_samples = std::clamp<std::size_t>((std::size_t{1} << 14) /
                                                                        sizeof(T),
                                                                    16, 256);

/// Samples at regular places of an interval; all its places, if they are few.
class sample_places {
 public:
  sample_places(const interval<>& of, std::size_t most) noexcept
      : of_(of), count_(std::min(of.size(), most)) {}

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t operator[](std::size_t i) const noexcept {
    return of_.first + of_.size() * (2 * i + 1) / (2 * count_);
  }

 private:
  interval<> of_;
  std::size_t count_;
};

/// Searches where to cut several sorted sequences, so that a given number of elements, the least of
/// all, are before the cuts. Equal elements are in the order of the sequences, so there is one
/// answer. Of each sequence it knows the interval that the cut is in, and narrows these by samples.
///
/// Each round leaves at most 5/k of the elements that were possible, if k samples of each sequence
/// are looked at, and none if that were all. This holds whatever the order answers; of an order
/// that contradicts itself the cuts of two searches may not follow one another.
///
/// Source: the selection of sorted runs by samples, as in Varman, Scheufler, Iyer, Ricard, Merging
/// Multiple Lists on Hierarchical-Memory Multiprocessors, 1991.
class cut_search {
 public:
  /// `before` elements of sequences of these lengths.
  cut_search(std::size_t before, std::vector<interval<>> sequences)
      : left_(before), possible_(std::move(sequences)) {
    std::size_t all = 0;
    for (const interval<>& sequence : possible_) all += sequence.size();
    assert(before <= all);
    for (interval<>& sequence : possible_) {
      if (before == 0) sequence.last = sequence.first;
      if (before == all) sequence.first = sequence.last;
    }
  }

  /// The cut of sequence s is at first … last, the same once the search is done.
  [[nodiscard]] const interval<>& of(std::size_t s) const noexcept { return possible_[s]; }
  [[nodiscard]] bool done() const noexcept {
    return std::ranges::all_of(possible_, [](const interval<>& one) { return one.empty(); });
  }

  /// samples[s] are those of sequence s, at sample_places(of(s), most). Cost: O(m log m) for m
  /// samples in all. Throws: what the order throws.
  template <class T, class Order>
  void narrow(const std::vector<std::span<const T>>& samples, std::size_t most, const Order& less) {
    std::vector<sample> sorted;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      assert(samples[s].size() == sample_places(of(s), most).count());
      for (std::size_t i = 0; i < samples[s].size(); ++i) sorted.push_back({s, i});
    }
    const auto first_of = [&](const sample& a, const sample& b) {
      const T& x = samples[a.sequence][a.index];
      const T& y = samples[b.sequence][b.index];
      if (a.sequence == b.sequence) return a.index < b.index;
      return a.sequence < b.sequence ? !less(y, x) : static_cast<bool>(less(x, y));
    };
    sorting::checked_sort(sorted.data(), sorted.data() + sorted.size(), first_of);
    narrow(sorted, most);
  }

 private:
  struct sample {
    std::size_t sequence, index;
  };

  /// Narrows the boundaries by the order of the samples alone. Of a sequence of which `a` samples
  /// come first, the elements up to the last of these come first too, those from the next sample on
  /// do not.
  void narrow(const std::vector<sample>& sorted, std::size_t most) {
    std::vector<sample_places> places;
    std::size_t least = 0;    // at least so many elements come before the next sample, or are it
    std::size_t highest = 0;  // and at most so many
    for (const interval<>& one : possible_) {
      places.emplace_back(one, most);
      highest += places.back().count() == 0 ? 0 : places.back()[0] - one.first;
    }
    const auto behind = [&](std::size_t s, std::size_t i) {  // of sample i, or of all
      return i < places[s].count() ? places[s][i] : possible_[s].last;
    };
    std::vector<std::size_t> seen(possible_.size(), 0);
    std::size_t low = 0;               // the elements up to that many samples come first
    std::size_t low_elements = 0;      // as many
    std::size_t high = sorted.size();  // those from this sample on do not
    for (std::size_t m = 0; m < sorted.size(); ++m) {
      const std::size_t s = sorted[m].sequence;
      const std::size_t a = seen[s]++;
      const std::size_t known = a == 0 ? possible_[s].first : places[s][a - 1] + 1;
      least += places[s][a] + 1 - known;
      if (least > left_) high = std::min(high, m);
      const std::size_t next = behind(s, a + 1);
      highest += next - places[s][a];
      // Of the sample's own sequence exactly those up to it come before the next.
      if (highest - (next - places[s][a] - 1) <= left_) {
        low = m + 1;
        low_elements = least;
      }
    }
    std::ranges::fill(seen, 0);
    std::vector<interval<>> narrowed = possible_;
    for (std::size_t m = 0; m <= high; ++m) {
      for (std::size_t s = 0; m == low && s < seen.size(); ++s)
        if (seen[s] != 0) narrowed[s].first = places[s][seen[s] - 1] + 1;
      if (m < high) ++seen[sorted[m].sequence];
    }
    for (std::size_t s = 0; high < sorted.size() && s < seen.size(); ++s)
      if (seen[s] < places[s].count()) narrowed[s].last = places[s][seen[s]];
    possible_ = std::move(narrowed);
    left_ -= low_elements;
  }

  std::size_t left_;  // of the elements before the cuts, those that are not known yet
  std::vector<interval<>> possible_;
};

}  // namespace pleat::detail::distribution
