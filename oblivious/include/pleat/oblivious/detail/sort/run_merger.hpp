// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace pleat::detail::sorting {

/// Merges sorted, possibly strided runs of any values by a loser tree.
///
/// Equal values come in the order of (how many of their run came before, run): for slices of
/// columns that start at one row this is the order of (row, column), that is of the place in the
/// matrix. Cost: ⌈log2 runs⌉ comparisons per value, one for two runs.
/// Source: Knuth, The Art of Computer Programming, vol. 3, 5.4.1.
template <class T, class Compare> class run_merger {
 public:
  run_merger(std::size_t runs, Compare& less)
      : runs_(runs), losers_(runs), left_(0), less_(&less) {}

  void set_run(std::size_t i, const T* first, std::size_t count, std::size_t stride) {
    runs_[i] = {first, count, stride, 0};
  }
  /// Starts the merge. Requires: all runs are set.
  void start() {
    left_ = 0;
    for (const run& r : runs_) left_ += r.left;
    winner_ = play(1);
  }

  /// Number of values of run i that were merged.
  [[nodiscard]] std::size_t taken(std::size_t i) const noexcept { return runs_[i].taken; }

  /// Number of values that are still to be merged.
  [[nodiscard]] std::size_t left() const noexcept { return left_; }

  /// Returns the next value in order, which stays in its run. Requires: left() > 0.
  const T& next() {
    run& from = runs_[winner_];
    const T& value = *from.next;
    --left_;
    ++from.taken;
    if (--from.left != 0) from.next += from.stride;
    for (std::size_t i = (winner_ + runs_.size()) / 2; i != 0; i /= 2)
      if (before(losers_[i], winner_)) std::swap(losers_[i], winner_);
    return value;
  }

 private:
  struct run {
    const T* next = nullptr;
    std::size_t left = 0;
    std::size_t stride = 1;
    std::size_t taken = 0;
  };

  bool before(std::size_t a, std::size_t b) {
    const run& x = runs_[a];
    const run& y = runs_[b];
    if (x.left == 0) return false;
    if (y.left == 0) return true;
    const bool first_if_equal = x.taken < y.taken || (x.taken == y.taken && a < b);
    return first_if_equal ? !(*less_)(*y.next, *x.next)
                          : static_cast<bool>((*less_)(*x.next, *y.next));
  }

  std::size_t play(std::size_t i) {  // the winner among the leaves below node i
    if (i >= runs_.size()) return i - runs_.size();
    std::size_t a = play(2 * i);
    std::size_t b = play(2 * i + 1);
    if (before(b, a)) std::swap(a, b);
    losers_[i] = b;
    return a;
  }

  std::vector<run> runs_;
  std::vector<std::size_t> losers_;
  std::size_t winner_ = 0;
  std::size_t left_;
  Compare* less_;
};

}  // namespace pleat::detail::sorting
