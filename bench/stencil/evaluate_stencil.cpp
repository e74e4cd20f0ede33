// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <utility>

#include <pleat/oblivious/stencil.hpp>

#include "bound_stencil.hpp"
#include "tool/evaluation_input.hpp"

namespace pleat::bench {
namespace {

// Tells which neighbour is which, so that any mistake shows; and asks two steps back.
template <std::size_t D> struct scrambled_neighbours {
  std::uint64_t operator()(const auto& u) const {
    std::uint64_t h = u.before();
    const auto take = [&h](std::uint64_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15U + 1; };
    for (int i = -1; i <= 1; ++i)
      if constexpr (D == 1)
        take(u(i));
      else
        for (int j = -1; j <= 1; ++j) take(u(i, j));
    return h;
  }
};

// A cell of a grid with a fixed boundary, as pleat::stencil shows it to a kernel.
template <std::size_t D> struct serial_cell {
  const std::uint64_t* now;
  const std::uint64_t* earlier;
  std::ptrdiff_t side;
  std::uint64_t operator()(int i) const { return now[i]; }
  std::uint64_t operator()(int i, int j) const { return now[i * side + j]; }
  [[nodiscard]] std::uint64_t before() const { return *earlier; }
};

// Sweeps as many steps as the side of the grid, whose outermost points stay as they are; from a
// grid and the one before it.
template <std::size_t D> void sweep_serially(values& now, values& before, std::size_t side) {
  for (std::size_t step = 0; step < side; ++step) {
    for (std::size_t x = 0; x < now.size(); ++x) {
      bool outermost = false;
      for (std::size_t i = 0, rest = x; i < D; ++i, rest /= side)
        outermost = outermost || rest % side == 0 || rest % side == side - 1;
      before[x] = outermost ? now[x]
                            : scrambled_neighbours<D>()(serial_cell<D>{
                                  &now[x], &before[x], static_cast<std::ptrdiff_t>(side)});
    }
    std::swap(now, before);
  }
}

// n points in D dimensions, one in each virtual processor.
template <std::size_t D> cost_trace run_stencil(const evaluation_request& request) {
  machine on(traced(request));
  values now = random_values(request);
  values before(now.rbegin(), now.rend());
  values expected = now;
  values expected_before = before;
  const auto side = std::size_t{1} << static_cast<unsigned>(std::countr_zero(request.n)) / D;
  sweep_serially<D>(expected, expected_before, side);
  std::array<std::size_t, D> size;
  size.fill(side);
  run_report report = pleat::stencil(on, grid_view<std::uint64_t, D>(now.data(), size),
                                     grid_view<std::uint64_t, D>(before.data(), size), side,
                                     scrambled_neighbours<D>(), {.vps = request.n});
  verify(now == expected && before == expected_before, D == 1 ? "stencil1" : "stencil2");
  return *std::move(report.costs);
}

constexpr std::array programs{
    evaluated_program{
        .name = "stencil1",
        .description = "a row of n points for n steps, one point a virtual processor",
        .sizes = power_of_two::text,
        .accepts = power_of_two::accepts,
        .run = run_stencil<1>,
        .bound = "n + σ",
        .lower_bound = [](std::size_t n, std::size_t p,
                          double sigma) { return stencil_lower_bound(n, 1, p, sigma); },
    },
    evaluated_program{
        .name = "stencil2",
        .description = "√n × √n points for √n steps, one point a virtual processor",
        .sizes = power_of_four::text,
        .accepts = power_of_four::accepts,
        .run = run_stencil<2>,
        .bound = "n/√p + σ",
        .lower_bound =
            [](std::size_t n, std::size_t p, double sigma) {
              const std::size_t side = std::size_t{1} << std::countr_zero(n) / 2;
              return stencil_lower_bound(side, 2, p, sigma);
            },
    },
};

}  // namespace

std::span<const evaluated_program> stencil_evaluations() { return programs; }

}  // namespace pleat::bench
