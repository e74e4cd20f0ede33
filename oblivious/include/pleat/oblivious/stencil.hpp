// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/stencil/over_ranks.hpp>
#include <pleat/oblivious/detail/stencil/run.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Steps of a stencil: every cell of a grid becomes what the kernel makes of it and its neighbours,
/// all at once, and that `steps` times. In place; one, two or three dimensions; any size.
///
/// ```cpp
/// pleat::grid_view<double, 2> plate(cells.data(), {rows, columns});
/// pleat::stencil(machine, plate, 1000, [](const auto& u) {
///   return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
/// });
/// ```
///
/// `kernel(u)`: u(dx), u(dx, dy) or u(dx, dy, dz), each −1, 0 or 1, is a cell's neighbour before
/// the step; the result is converted to the type of the cell. It is called by all VPs at once, more
/// than once for some cells, and with arguments of more than one type: take them by `const auto&`,
/// and depend on nothing else that changes.
///
/// Requires: cells that are trivially copyable.
/// Guarantees: the values of serial sweeps, bit for bit, for every P, if the compiler does not fuse
/// products and sums (it does not where it compiles for ISO C++, or for processors without that
/// instruction). What the kernel throws reaches the caller; the grid then is between two steps.
/// Returns what the run did; the report is empty for no cells or no steps.
///
/// Cost: n/P·steps updates of local work; two supersteps for n/(4P) steps, n indices of the first
/// dimension, in which neighbours exchange the cells of 3n/(4P) such indices: h = O(cells/P).
/// Memory: as much as the grid, taken from the machine, which keeps it.
/// Throws: usage_error (strides by which cells overlap, options that contradict each other, 0 VPs);
/// what the kernel or `after` throw; std::bad_alloc.
/// Thread safety: calls on one machine take turns.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.4; Frigo, Strumpen, Cache Oblivious Stencil Computations, 2005.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, grid_view<T, D> grid, std::size_t steps, const Kernel& kernel,
                   const stencil_options& options = {}) {
  return detail::stencils::step_fields(on, std::tuple<grid_view<T, D>>(grid), steps, kernel,
                                       options);
}

/// Several fields, of one size and any types: `kernel(u, v, …)` has one argument for each and
/// returns a tuple of their new values.
template <class... T, std::size_t D, class Kernel>
run_report stencil(machine& on, const std::tuple<grid_view<T, D>...>& grids, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  return detail::stencils::step_fields(on, grids, steps, kernel, options);
}

/// Two steps back, as wave equations want: the kernel may also ask for `u.before()`, the cell
/// itself one step before u. `before` has the grid of that step; afterwards it has that of the last
/// step but one. Where cells are fixed, both end as those of `now`. No memory but the two grids.
/// Both have the same size and do not overlap.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, grid_view<T, D> now, grid_view<T, D> before, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  return detail::stencils::step_two_levels(on, now, before, steps, kernel, options);
}

/// Runs on two dimensions, rows that lie a stride apart.
template <class T, class Kernel>
run_report stencil(machine& on, strided_view<T> grid, std::size_t steps, const Kernel& kernel,
                   const stencil_options& options = {}) {
  return stencil(on, grid_view<T, 2>(grid), steps, kernel, options);
}

/// A row of cells.
template <std::ranges::contiguous_range R, class Kernel>
requires std::ranges::sized_range<R> run_report stencil(machine& on, R&& cells, std::size_t steps,
                                                        const Kernel& kernel,
                                                        const stencil_options& options = {}) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<R>>;
  return stencil(on,
                 grid_view<T, 1>(std::ranges::data(cells),
                                 {static_cast<std::size_t>(std::ranges::size(cells))}),
                 steps, kernel, options);
}

/// Steps of several distributed fields of one size, given as std::tie(u, v): see below. The kernel
/// has one argument for each and returns a tuple of their new values.
template <class... T, std::size_t D, class Kernel>
run_report stencil(machine& on, const std::tuple<distributed_grid<T, D>&...>& grids,
                   std::size_t steps, const Kernel& kernel, const stencil_options& options = {}) {
  detail::distribution::collective_call call = std::get<0>(grids).collective(on, "stencil");
  call.check([&] {
    std::apply([&](const auto&... grid) { detail::stencils::check_grids(on, grid...); }, grids);
  });
  if (!call.alone())
    return detail::stencils::step_over_ranks<false, D>(on, call, grids, steps, kernel, options);
  const machine::rank_turn here(on);
  const auto local = std::apply(
      [](auto&... grid) { return std::tuple<grid_view<T, D>...>{grid.local()...}; }, grids);
  return pleat::stencil(on, local, steps, kernel, options);
}

/// Steps of a stencil on a distributed grid: kernel, boundaries, options and results are those of
/// stencil of an array, bit for bit, for any number of ranks and workers. On several ranks it is
/// the same program, in one run.
///
/// ```cpp
/// pleat::stencil(machine, distributed_plate, 1000, [](const auto& u) {       // on all ranks
///   return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
/// });
/// ```
///
/// `options.after` is called on every rank, which finds its slab as the grid is then and may change
/// it; `options.vps` are those of all ranks; there are as many as workers, fewer for little work.
///
/// Requires: the same steps, kernel and options on all ranks; the kernel as for stencil of an
/// array. Collective, see distributed.
///
/// Guarantees: the kernel is called with no neighbours but those of serial sweeps. Whatever is
/// thrown on several ranks, by the kernel or for want of memory, the slabs of all ranks are as they
/// were before the call, or as the last `after` left them; on one, as stencil of an array leaves
/// them.
///
/// Cost, of P VPs: that of stencil of an array; for each `after` and the end three supersteps more,
/// in which each cell is copied twice and those that a VP computes for another rank travel; two
/// supersteps before the first step. Memory of each rank besides the grid: for each VP two levels
/// of n/P indices of the first dimension, and of n/(4P) for each rank; taken from the machine,
/// which keeps it; what is sent, and what arrives. Where the first dimension has fewer than 16 P
/// indices and another one more, that one is shared, and all cells travel to begin with and in the
/// end.
///
/// Throws: what the kernel or `after` throw on any rank; usage_error (options that contradict each
/// other; ranks that ask for different steps or options; see distributed); std::bad_alloc.
/// Thread safety: calls on one machine take turns.
///
/// Source: as for stencil of an array.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, distributed_grid<T, D>& grid, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  return pleat::stencil(on, std::tuple<distributed_grid<T, D>&>(grid), steps, kernel, options);
}

/// Two steps back, as wave equations want: see stencil of an array. `before` has the grid of that
/// step; afterwards it has that of the last step but one.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, distributed_grid<T, D>& now, distributed_grid<T, D>& before,
                   std::size_t steps, const Kernel& kernel, const stencil_options& options = {}) {
  detail::distribution::collective_call call = now.collective(on, "stencil");
  call.check([&] { detail::stencils::check_grids(on, now, before); });
  if (!call.alone())
    return detail::stencils::step_over_ranks<true, D>(
        on, call, std::tuple<distributed_grid<T, D>&>(now), steps, kernel, options, before);
  const machine::rank_turn here(on);
  return pleat::stencil(on, now.local(), before.local(), steps, kernel, options);
}

/// Runs on the default machine: a grid, a tuple of grids, rows, or a row of cells.
template <class Grid, class Kernel>
requires(!std::same_as<std::remove_cvref_t<Grid>, machine>) run_report
    stencil(Grid&& grid, std::size_t steps, const Kernel& kernel,
            const stencil_options& options = {}) {
  const detail::call_machine on;
  return pleat::stencil(*on, grid, steps, kernel, options);
}
/// … and two steps back.
template <class T, std::size_t D, class Kernel>
run_report stencil(grid_view<T, D> now, grid_view<T, D> before, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  const detail::call_machine on;
  return pleat::stencil(*on, now, before, steps, kernel, options);
}

}  // namespace pleat
