// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <mpi.h>
#include <span>
#include <string>
#include <vector>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>

#include "evidence/distributed/rivals/mpi_rivals.hpp"
#include "stencil/heat.hpp"
#include "work_of_ranks.hpp"

namespace pleat::bench {
namespace {

template <std::size_t D>
void compare(pleat::machine& machine, std::size_t n, std::size_t steps, std::size_t repetitions) {
  if (n < machine.ranks()) throw usage_error("stencil: every rank needs a row, take a greater n");
  if (n > std::size_t{std::numeric_limits<int>::max()})
    throw usage_error("stencil: MPI_Sendrecv counts in int, take a smaller n");
  std::array<std::size_t, D> extents;
  extents.fill(n);
  pleat::distributed_grid<double, D> grid(machine, extents);
  const auto fill = [&] {
    if constexpr (D == 1)
      grid.fill(machine, [](std::size_t x) { return scrambled_share(x); });
    else
      grid.fill(machine, [n](std::size_t x, std::size_t y) { return scrambled_share(x * n + y); });
  };
  fill();
  const interval<> rows = grid.rows();
  const std::size_t row = D == 1 ? 1 : n;
  const std::span<double> slab(grid.local().data, rows.size() * row);
  const std::vector<double> start(slab.begin(), slab.end());
  const int threads = static_cast<int>(machine.vps_here(machine.threads()).size());
  mpi_halo_exchange<D> rival(MPI_COMM_WORLD, rows.first, rows.size(), n, row, threads);
  compare_sides(machine,
                {.work = "distributed-stencil" + std::to_string(D),
                 .n = n,
                 .type = "f64",
                 .rival = "halo exchange in each step, " PLEAT_MPI_NAME,
                 .rival_version = PLEAT_MPI_VERSION},
                {.prepare_ours = fill,
                 .ours =
                     [&] {
                       pleat::stencil(machine, grid, steps, heat_kernel<double, D>(),
                                      {.edges = pleat::boundary::fixed});
                     },
                 .prepare_rival = [&] { rival.load(start); },
                 .rival = [&] { rival.advance(steps); },
                 .check = [&]() -> std::string {
                   return everywhere(std::ranges::equal(slab, rival.slab()))
                              ? ""
                              : "pleat and the rival have different cells";
                 }},
                repetitions);
}

}  // namespace

void compare_distributed_stencil(pleat::machine& machine, std::size_t dimensions, std::size_t n,
                                 std::size_t steps, std::size_t repetitions) {
  if (dimensions == 1)
    compare<1>(machine, n, steps, repetitions);
  else
    compare<2>(machine, n, steps, repetitions);
}

}  // namespace pleat::bench
