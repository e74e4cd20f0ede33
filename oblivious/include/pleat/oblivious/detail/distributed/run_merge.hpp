// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/sort/merge_tree.hpp>
#include <pleat/oblivious/detail/sort/merge_two.hpp>
#include <pleat/oblivious/detail/sort/word_kernels.hpp>

// Merges of sorted runs, by one VP, into memory that holds no values. Equal values come in the
// order of their runs.
namespace pleat::detail::distribution {

/// Any number of runs of any values, by a loser tree. Cost: ⌈log2 runs⌉ comparisons for each value.
/// Source: Knuth, The Art of Computer Programming, vol. 3, 5.4.1.
template <class T, class Order> class stable_merger {
 public:
  /// Requires: no run is empty, and there is one at least.
  stable_merger(const std::vector<std::span<const T>>& runs, const Order& less)
      : runs_(runs), losers_(runs.size()), less_(&less) {
    winner_ = play(1);
  }

  /// The next value in order. Requires: there is one left.
  const T& next() {
    std::span<const T>& from = runs_[winner_];
    const T& value = from.front();
    from = from.subspan(1);
    for (std::size_t i = (winner_ + runs_.size()) / 2; i != 0; i /= 2)
      if (before(losers_[i], winner_)) std::swap(losers_[i], winner_);
    return value;
  }

 private:
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const {
    if (runs_[a].empty()) return false;
    if (runs_[b].empty()) return true;
    const T& x = runs_[a].front();
    const T& y = runs_[b].front();
    return a < b ? !(*less_)(y, x) : static_cast<bool>((*less_)(x, y));
  }
  std::size_t play(std::size_t i) {  // the winner among the leaves below node i
    if (i >= runs_.size()) return i - runs_.size();
    std::size_t a = play(2 * i);
    std::size_t b = play(2 * i + 1);
    if (before(b, a)) std::swap(a, b);
    losers_[i] = b;
    return a;
  }

  std::vector<std::span<const T>> runs_;
  std::vector<std::size_t> losers_;
  std::size_t winner_ = 0;
  const Order* less_;
};

/// Pieces of one argument, of each rank.
template <class T> using pieces_of_one = std::array<std::vector<std::span<const T>>, 1>;

/// Values by an order.
template <class T, class Order> class value_merge {
 public:
  static constexpr std::size_t arguments = 1;

  explicit value_merge(const Order& less) : less_(less) {}

  [[nodiscard]] const Order& order() const noexcept { return less_; }

  /// Requires: no run is empty. Throws: what the order throws.
  void operator()(const pieces_of_one<T>& pieces, T* out) const {
    const auto& [runs] = pieces;
    if (runs.size() == 1) {
      std::uninitialized_copy(runs[0].begin(), runs[0].end(), out);
    } else if (runs.size() == 2) {
      sorting::strided_run<T> a{runs[0].data(), runs[0].size()};
      sorting::strided_run<T> b{runs[1].data(), runs[1].size()};
      sorting::merge_two(a, b, a.left + b.left, less_, out);
    } else if (runs.size() > 2) {
      std::size_t count = 0;
      for (const auto& run : runs) count += run.size();
      stable_merger<T, Order> merger(runs, less_);
      for (std::size_t i = 0; i < count; ++i) std::construct_at(out + i, merger.next());
    }
  }

 private:
  const Order& less_;
};

/// Words upwards, by vectors. Equal ones cannot be told apart.
template <sorting::sort_word U> class word_merge {
 public:
  static constexpr std::size_t arguments = 1;
  struct less {
    static constexpr bool trusted = true;
    [[nodiscard]] bool operator()(U a, U b) const noexcept { return a < b; }
  };
  [[nodiscard]] less order() const noexcept { return {}; }

  /// Requires: no run is empty. Memory: some KiB for each run.
  void operator()(const pieces_of_one<U>& pieces, U* out) const {
    const auto& [runs] = pieces;
    if (runs.size() == 1) std::copy(runs[0].begin(), runs[0].end(), out);
    if (runs.size() < 2) return;
    constexpr std::size_t tile = sizeof(U) == 8 ? 512 : 1024;
    const auto memory =
        std::make_unique_for_overwrite<U[]>(sorting::merge_tree<U>::room(runs.size(), tile) + tile);
    sorting::merge_tree<U> tree(runs.size(), tile, memory.get());
    std::size_t left = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      tree.set_run(i, runs[i].data(), runs[i].size(), 1);
      left += runs[i].size();
    }
    for (; left >= tile; left -= tile, out += tile) tree.next(out);
    U* const rest = memory.get() + sorting::merge_tree<U>::room(runs.size(), tile);
    if (left == 0) return;
    tree.next(rest);
    std::copy_n(rest, left, out);
  }
};

}  // namespace pleat::detail::distribution
