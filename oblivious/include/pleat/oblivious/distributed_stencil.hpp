// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/step_grids.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Steps of several distributed fields of one size, given as std::tie(u, v): see below. The kernel
/// has one argument for each and returns a tuple of their new values.
template <class... T, std::size_t D, class Kernel>
void stencil(machine& on, const std::tuple<distributed_grid<T, D>&...>& grids, std::size_t steps,
             const Kernel& kernel, const stencil_options& options = {}) {
  detail::distribution::collective_call call = std::get<0>(grids).collective(on, "stencil");
  call.check([&] {
    std::apply([&](const auto&... grid) { detail::distribution::check_grids<D>(on, grid...); },
               grids);
  });
  if (call.alone()) {
    const machine::rank_turn here(on);
    const auto local = std::apply(
        [](auto&... grid) { return std::tuple<grid_view<T, D>...>{grid.local()...}; }, grids);
    pleat::stencil(on, local, steps, kernel, options);
  } else {
    detail::distribution::step_on_ranks<false, D>(on, call, grids, steps, kernel, options);
  }
}

/// Steps of a stencil on a distributed grid: kernel, boundaries, options and results are those of
/// stencil of an array, bit for bit, for any number of ranks and workers.
///
/// ```cpp
/// pleat::stencil(machine, distributed_plate, 1000, [](const auto& u) {       // on all ranks
///   return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
/// });
/// ```
///
/// Each rank makes k steps of its slab alone, by the library's stencil on its own workers, after it
/// has got the k rows on either side of the slab; k is a 16th of the m rows of the thinnest slab,
/// but 2√m at most; more if rows are short, and no more than there are steps. `options.after` is
/// called on every rank, which finds its slab as the grid is then and may change it; `options.vps`
/// are those of each rank.
///
/// Requires: the same steps, kernel and options on all ranks; the kernel as for stencil of an
/// array. Collective, see distributed.
///
/// Guarantees: the kernel is called with no neighbours but those of serial sweeps. Whatever is
/// thrown on several ranks, by the kernel or for want of memory, the slabs of all ranks are as they
/// were before the call, or as the last `after` left them; on one, as stencil of an array leaves
/// them.
///
/// Cost, of each of R ranks (n rows, k as above): up to (1 + k·R/n) times the updates of n/R rows;
/// steps/k supersteps, in each of which it sends and receives 2k rows, and three more; two copies
/// of its slab. Memory of each rank besides the grid: two windows of n/R + 2k rows for each field,
/// taken from the machine, which keeps it; what is sent, and what arrives.
///
/// Throws: what the kernel or `after` throw on any rank; usage_error (options that contradict each
/// other; ranks that ask for different steps or options; see distributed); std::bad_alloc.
/// Thread safety: calls on one machine take turns.
///
/// Source: as for stencil of an array; Ding, He, A Ghost Cell Expansion Method for Reducing
/// Communications in Solving PDE Problems, 2001.
template <class T, std::size_t D, class Kernel>
void stencil(machine& on, distributed_grid<T, D>& grid, std::size_t steps, const Kernel& kernel,
             const stencil_options& options = {}) {
  pleat::stencil(on, std::tuple<distributed_grid<T, D>&>(grid), steps, kernel, options);
}

/// Two steps back, as wave equations want: see stencil of an array. `before` has the grid of that
/// step; afterwards it has that of the last step but one.
template <class T, std::size_t D, class Kernel>
void stencil(machine& on, distributed_grid<T, D>& now, distributed_grid<T, D>& before,
             std::size_t steps, const Kernel& kernel, const stencil_options& options = {}) {
  detail::distribution::collective_call call = now.collective(on, "stencil");
  call.check([&] { detail::distribution::check_grids<D>(on, now, before); });
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::stencil(on, now.local(), before.local(), steps, kernel, options);
  } else {
    detail::distribution::step_on_ranks<true, D>(on, call, std::tuple<distributed_grid<T, D>&>(now),
                                                 steps, kernel, options, before);
  }
}

}  // namespace pleat
