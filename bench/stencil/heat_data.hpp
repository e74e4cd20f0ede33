// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "heat.hpp"
#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {

/// The grid of a stencil that is measured: n cells in the first dimension, `side` in the others.
template <class T, std::size_t D> class heat_data {
 public:
  heat_data(machine& on, std::size_t n, std::uint64_t seed) : heat_data(on, n, n, seed) {}
  heat_data(machine& on, std::size_t n, std::size_t side, std::uint64_t seed)
      : n_(n),
        side_(side),
        start_(bytes_of({n, D > 1 ? side : 1, D > 2 ? side : 1, sizeof(T)}), on),
        grid_(start_.bytes().size(), on),
        before(start_.as<T>(cells())),
        now(grid_.as<T>(cells())) {
    for (std::size_t i = 0; i < cells(); ++i)
      before[i] = static_cast<T>(mixed(seed + i) % 4096) / 4096;
  }

  /// Steps of a sample: as many as people would want of such a grid.
  [[nodiscard]] static constexpr std::size_t steps() { return D == 1 ? 1000 : D == 2 ? 256 : 100; }
  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] std::size_t side() const { return side_; }
  [[nodiscard]] measured_arrays arrays() const { return {&start_, &grid_}; }
  [[nodiscard]] std::size_t cells() const {
    std::size_t product = n_;
    for (std::size_t i = 1; i < D; ++i) product *= side_;
    return product;
  }

  /// advance(grid, steps), starting afresh: the seconds of the run alone.
  template <class Advance> double sample(const Advance& advance) {
    std::ranges::copy(before, now.begin());
    const auto start = benchmark_clock::now();
    advance(view(), steps());
    return seconds_since(start);
  }

  /// A run beside serial sweeps, bit for bit; of large grids not all the steps.
  /// Throws: pleat::error naming who computed.
  template <class Advance> void verify(std::string_view who, const Advance& advance) {
    const std::size_t some = std::clamp<std::size_t>(most_updates / cells(), 7, steps());
    std::ranges::copy(before, now.begin());
    advance(view(), some);
    if (expected_steps_ != some) sweep_serially(some);
    if (!std::ranges::equal(now, expected_))
      throw error("verification failed: " + std::string(who) + " did not compute what " +
                  std::to_string(some) + " serial sweeps do");
    std::ranges::fill(now, T{});
  }

 private:
  static constexpr std::size_t most_updates = std::size_t{1} << 30;

  [[nodiscard]] grid_view<T, D> view() const {
    std::array<std::size_t, D> size;
    size.fill(side_);
    size[0] = n_;
    return {now.data(), size};
  }
  void sweep_serially(std::size_t some) {
    expected_.assign(before.begin(), before.end());
    std::vector<T> next = expected_;
    const auto n = static_cast<std::ptrdiff_t>(n_), side = static_cast<std::ptrdiff_t>(side_);
    for (std::size_t t = 0; t < some; ++t) {
      if (n > 2) heat_rows<D>(side, expected_.data(), next.data(), 1, n - 1);
      std::swap(expected_, next);
    }
    expected_steps_ = some;
  }

  std::size_t n_, side_;
  big_block start_, grid_;
  std::vector<T> expected_;
  std::size_t expected_steps_ = 0;

 public:
  const std::span<T> before, now;
};

}  // namespace pleat::bench
