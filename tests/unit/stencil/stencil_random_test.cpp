// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

#include "random_rounds.hpp"
#include "stencil_reference.hpp"

// Random grids, strides, boundaries, steps and numbers of VPs against serial sweeps; what lies
// between the rows stays as it is.

namespace stencil_random_test {

/// A grid in memory of its own, with gaps.
template <class T, std::size_t D> struct spread_grid {
  sizes<D> size{}, stride{};
  std::vector<T> memory;

  spread_grid(const sizes<D>& s, bool gaps, dice& random) : size(s) {
    std::size_t step = 1;
    for (std::size_t i = D; i-- > 0;) {
      stride[i] = step;
      step *= size[i];
      if (gaps && i != 0) step += random(4);
    }
    memory.resize(step + 3);
    for (T& x : memory) x = static_cast<T>(random.word());
  }
  [[nodiscard]] pleat::grid_view<T, D> view() { return {memory.data(), size, stride}; }
  template <class Visit> void for_each(const Visit& visit) const {
    std::array<long, D> x{};
    for (std::size_t n : size)
      if (n == 0) return;
    for (;;) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < D; ++i) at += static_cast<std::size_t>(x[i]) * stride[i];
      visit(x, at);
      std::size_t i = D;
      while (i > 0 && ++x[i - 1] == static_cast<long>(size[i - 1])) x[--i] = 0;
      if (i == 0) return;
    }
  }
  [[nodiscard]] reference_grid<T, D> compact() const {
    reference_grid<T, D> grid{size, {}};
    for_each([&](const auto&, std::size_t at) { grid.cells.push_back(memory[at]); });
    return grid;
  }
  void take(const reference_grid<T, D>& grid) {
    for_each([&](const auto& x, std::size_t at) { memory[at] = grid.cells[grid.place(x)]; });
  }
};

template <std::size_t D, class Cell> auto neighbours(const Cell& u) {
  if constexpr (D == 1)
    return u(-1) + 3 * u(1);
  else if constexpr (D == 2)
    return u(-1, 0) + 3 * u(1, 1) + 5 * u(0, -1);
  else
    return u(-1, 0, 1) + 3 * u(1, 1, 0) + 5 * u(0, -1, -1);
}

template <std::size_t D> void expect_serial_sweeps(std::size_t most) {
  using T = std::uint64_t;  // wraps: every cell that is read wrongly shows
  pleat::machine machine({.processors = 2, .strict = true});
  random_rounds(100, [&](dice& random) {
    sizes<D> size{};
    if (random(2) == 0)  // a cube of the model
      size.fill(random.one_of<std::size_t>({2, 4, D == 3 ? 4u : 8u}));
    else
      for (std::size_t& n : size) n = random(most);
    std::array<pleat::boundary, D> edges{};
    for (auto& edge : edges)
      edge = random.one_of(
          {pleat::boundary::fixed, pleat::boundary::periodic, pleat::boundary::reflecting});
    const auto one = edges[0];
    if (random(2) == 0) edges.fill(one);
    spread_grid<T, D> now(size, random(2) == 0, random);
    spread_grid<T, D> before(size, random(2) == 0, random);
    const std::size_t steps = random(12), cells = now.view().cells();
    const bool cell_each = random(2) == 0 && cells > 0 && cells <= 512;
    const std::size_t vps = cell_each ? cells : random.one_of<std::size_t>({1, 2, 3, 8, 17});
    pleat::stencil_options options{.edges = edges[0], .vps = vps};
    for (std::size_t i = 0; i < D; ++i) options.edges.of[i] = edges[i];
    options.edges.given = D;
    const bool wave = random(2) == 0;
    auto expected = now.compact(), earlier = before.compact();
    const auto heat = [](const auto& u) { return neighbours<D>(u); };
    const auto swing = [](const auto& u) { return neighbours<D>(u) - 7 * u.before(); };
    auto want_now = now, want_before = before;
    if (wave) {
      for (std::size_t t = 0; t < steps; ++t) reference_step(expected, earlier, edges, swing);
      // Where cells are fixed, both levels end as those of `now`: so does the reference, from the
      // first step on.
      want_before.take(steps > 0 ? earlier : before.compact());
      pleat::stencil(machine, now.view(), before.view(), steps, swing, options);
    } else {
      for (std::size_t t = 0; t < steps; ++t) reference_step(expected, earlier, edges, heat);
      pleat::stencil(machine, now.view(), steps, heat, options);
    }
    want_now.take(expected);
    ASSERT_EQ(now.memory, want_now.memory) << cells << " cells, " << steps << " steps, " << vps;
    ASSERT_EQ(before.memory, want_before.memory)
        << cells << " cells, " << steps << " steps, " << vps;
  });
}

TEST(stencil_random, rows) { expect_serial_sweeps<1>(200); }
TEST(stencil_random, planes) { expect_serial_sweeps<2>(40); }
TEST(stencil_random, boxes) { expect_serial_sweeps<3>(12); }

}  // namespace stencil_random_test
