// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <string>
#include <utility>

#include <pleat/oblivious/stencil.hpp>

#include "evaluate/evaluation_input.hpp"

namespace pleat::bench {
namespace {

// Tells which neighbour is which, so that any mistake shows; and asks two steps back.
template <std::size_t D> struct scrambled_neighbours {
  std::uint64_t operator()(const auto& u) const {
    std::uint64_t h = u.before();
    const auto take = [&h](std::uint64_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15U + 1; };
    const auto take_all = [&](auto&& take_rest, auto... offsets) {
      for (int i = -1; i <= 1; ++i) {
        if constexpr (sizeof...(offsets) + 1 == D)
          take(u(offsets..., i));
        else
          take_rest(take_rest, offsets..., i);
      }
    };
    take_all(take_all);
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
  std::uint64_t operator()(int i, int j, int k) const { return now[(i * side + j) * side + k]; }
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
  verify(now == expected && before == expected_before, "stencil" + std::to_string(D));
  return *std::move(report.costs);
}

template <unsigned D> double bound(std::size_t n, std::size_t p, double sigma) {
  const std::size_t side = std::size_t{1} << static_cast<unsigned>(std::countr_zero(n)) / D;
  return stencil_lower_bound(side, D, p, sigma);
}

constexpr std::array programs{
    evaluated_program{"stencil1", "a row of n points for n steps, one point a virtual processor",
                      power_of_two, run_stencil<1>, "n + σ", bound<1>},
    evaluated_program{"stencil2", "√n × √n points for √n steps, one point a virtual processor",
                      power_of_four, run_stencil<2>, "n/√p + σ", bound<2>},
    evaluated_program{"stencil3", "∛n × ∛n × ∛n points for ∛n steps, one point a virtual processor",
                      power_of_eight, run_stencil<3>, "n/p^(2/3) + σ", bound<3>},
};

}  // namespace

std::span<const evaluated_program> stencil_evaluations() { return programs; }

}  // namespace pleat::bench
