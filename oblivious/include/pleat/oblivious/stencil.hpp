// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/detail/stencil/run.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Performs `steps` steps of a stencil in place. A step sets all cells of a grid at once to the
/// results of the kernel for the cells and their neighbours. The grid has one, two or three
/// dimensions and any size.
///
/// ```cpp
/// pleat::grid_view<double, 2> plate(cells.data(), {rows, columns});
/// pleat::stencil(machine, plate, 1000, [](const auto& u) {
///   return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
/// });
/// ```
///
/// `kernel(u)`: u(dx), u(dx, dy) or u(dx, dy, dz), where each argument is −1, 0 or 1, is the value
/// of a neighbour before the step; the result is converted to the type of the cell. All VPs call
/// the kernel concurrently, more than once for some cells, and with arguments of several types:
/// take them by `const auto&`, and depend on nothing else that changes.
///
/// Requires: cells that are trivially copyable.
/// Guarantees: the values are those of serial sweeps, bit for bit, for every P, if the compiler
/// does not fuse products and sums. (Compilers do not fuse them in ISO C++ mode, or for processors
/// without such instructions.) An exception of the kernel reaches the caller; the cells may then be
/// of different steps. Returns the report of the run; it is empty for no cells or no steps.
///
/// Cost: local work of cells/P·steps updates. For every n/(4P) steps, where n is the size of the
/// first dimension, two supersteps in which neighbours exchange 3n/(4P) rows of cells: h =
/// O(cells/P). Before each `after` and at the end, one that returns up to n/(4P) rows to their VPs.
/// Memory: as much as the grid, taken from the machine, which keeps it.
/// Throws: usage_error (strides by which cells overlap, options that contradict each other, 0 VPs);
/// what the kernel or `after` throws; std::bad_alloc.
/// Thread safety: calls on one machine take turns.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.4; Frigo, Strumpen, Cache Oblivious Stencil Computations, 2005.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, grid_view<T, D> grid, std::size_t steps, const Kernel& kernel,
                   const stencil_options& options = {}) {
  static_assert(
      detail::stencils::is_kernel<Kernel, D, false, T>(),
      "pleat::stencil: the kernel must be callable with a cell, const auto&, and give what "
      "can be converted to the type of the cells");
  return detail::stencils::step_fields(on, std::tuple<grid_view<T, D>>(grid), steps, kernel,
                                       options);
}

/// Performs steps of several fields of one size and any types: `kernel(u, v, …)` has one argument
/// for each field and returns a tuple of the new values.
template <class... T, std::size_t D, class Kernel>
run_report stencil(machine& on, const std::tuple<grid_view<T, D>...>& grids, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  static_assert(
      detail::stencils::is_kernel<Kernel, D, false, T...>(),
      "pleat::stencil: the kernel must be callable with a cell of each grid, const auto&, "
      "and give a tuple of their values");
  return detail::stencils::step_fields(on, grids, steps, kernel, options);
}

/// Performs steps that depend on the two previous ones, as for wave equations: the kernel may also
/// call `u.before()`, the value of the cell one step before u. `before` is the grid of that step;
/// after the call it has the values of the last step but one. Fixed cells have the values of `now`
/// in both grids after the call. No further memory is used. The grids have the same size and do not
/// overlap.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, grid_view<T, D> now, grid_view<T, D> before, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  static_assert(
      detail::stencils::is_kernel<Kernel, D, true, T>(),
      "pleat::stencil: the kernel must be callable with a cell, const auto&, and give what "
      "can be converted to the type of the cells");
  return detail::stencils::step_two_levels(on, now, before, steps, kernel, options);
}

/// Performs steps on a grid of two dimensions whose rows lie a stride apart.
template <class T, class Kernel>
run_report stencil(machine& on, strided_view<T> grid, std::size_t steps, const Kernel& kernel,
                   const stencil_options& options = {}) {
  return pleat::stencil(on, grid_view<T, 2>(grid), steps, kernel, options);
}

/// Performs steps on a std::mdspan of one to three dimensions, or its like.
template <multidimensional_span M, class Kernel>
run_report stencil(machine& on, const M& grid, std::size_t steps, const Kernel& kernel,
                   const stencil_options& options = {}) {
  return pleat::stencil(on, grid_view(grid), steps, kernel, options);
}

/// Performs steps on a row of cells.
template <std::ranges::contiguous_range R, class Kernel>
requires std::ranges::sized_range<R> run_report stencil(machine& on, R&& cells, std::size_t steps,
                                                        const Kernel& kernel,
                                                        const stencil_options& options = {}) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<R>>;
  return pleat::stencil(on,
                        grid_view<T, 1>(std::ranges::data(cells),
                                        {static_cast<std::size_t>(std::ranges::size(cells))}),
                        steps, kernel, options);
}

/// Performs steps of several distributed fields of one size, given as std::tie(u, v): see below.
/// The kernel has one argument for each field and returns a tuple of the new values.
template <class... T, std::size_t D, class Kernel>
run_report stencil(machine& on, const std::tuple<distributed_grid<T, D>&...>& grids,
                   std::size_t steps, const Kernel& kernel, const stencil_options& options = {}) {
  detail::distribution::collective_call call = std::get<0>(grids).collective(on, "stencil");
  call.check([&] {
    std::apply([&](const auto&... grid) { detail::stencils::check_grids(on, grid...); }, grids);
  });
  if (!call.alone())
    return detail::stencils::step_over_ranks<false, D>(on, call, grids, steps, kernel, options);
  const auto local = std::apply(
      [](auto&... grid) { return std::tuple<grid_view<T, D>...>{grid.local()...}; }, grids);
  return call.own([&] { return pleat::stencil(on, local, steps, kernel, options); });
}

/// Performs steps of a stencil on a distributed grid. Kernel, boundaries and options are those of
/// stencil of an array. The results are the same, bit for bit, for any number of ranks and workers.
/// On several ranks the same program runs, in one run.
///
/// ```cpp
/// pleat::stencil(machine, distributed_plate, 1000, [](const auto& u) {       // on all ranks
///   return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
/// });
/// ```
///
/// `options.after` is called on every rank, where it sees the current state of the slab and may
/// change it. `options.vps` is the number of VPs of all ranks; unset: as many as workers, fewer for
/// little work.
///
/// Requires: all ranks pass the same steps, kernel and options; the kernel is as for stencil of an
/// array. Collective, see distributed.
///
/// Guarantees: the kernel is called only with neighbourhoods that occur in serial sweeps. After an
/// exception on several ranks, of the kernel or for lack of memory, the slabs of all ranks are as
/// they were before the call, or as the last `after` left them; on one rank, as stencil of an array
/// leaves them.
///
/// Cost, of P VPs: that of stencil of an array; two supersteps before the first step; for each
/// `after` and at the end three supersteps, in which each cell is copied twice and the cells that a
/// VP computes for another rank are sent. Memory of each rank besides the grid: for each VP two
/// levels of n/P indices of the first dimension, and of n/(4P) for each rank, taken from the
/// machine, which keeps it; and the sent and received cells. If the first dimension has fewer than
/// 16 P indices and another one has more, the VPs divide the other one, and all cells are sent
/// before the first step and at the end.
///
/// Throws: what the kernel or `after` throws on any rank; usage_error (options that contradict each
/// other; ranks that ask for different steps or options; see distributed); std::bad_alloc.
/// Thread safety: calls on one machine take turns.
///
/// Source: as for stencil of an array.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, distributed_grid<T, D>& grid, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  return pleat::stencil(on, std::tuple<distributed_grid<T, D>&>(grid), steps, kernel, options);
}

/// Performs steps that depend on the two previous ones: see stencil of an array. `before` is the
/// grid one step before `now`; after the call it has the values of the last step but one.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, distributed_grid<T, D>& now, distributed_grid<T, D>& before,
                   std::size_t steps, const Kernel& kernel, const stencil_options& options = {}) {
  detail::distribution::collective_call call = now.collective(on, "stencil");
  call.check([&] { detail::stencils::check_grids(on, now, before); });
  if (!call.alone())
    return detail::stencils::step_over_ranks<true, D>(
        on, call, std::tuple<distributed_grid<T, D>&>(now), steps, kernel, options, before);
  return call.own(
      [&] { return pleat::stencil(on, now.local(), before.local(), steps, kernel, options); });
}

/// Runs on the default machine: a grid, a tuple of grids, rows, or a row of cells.
template <class Grid, class Kernel>
requires(!std::same_as<std::remove_cvref_t<Grid>, machine>) run_report
    stencil(Grid&& grid, std::size_t steps, const Kernel& kernel,
            const stencil_options& options = {}) {
  return pleat::stencil(*detail::call_machine(), grid, steps, kernel, options);
}
/// Runs steps that depend on the two previous ones on the default machine.
template <class T, std::size_t D, class Kernel>
run_report stencil(grid_view<T, D> now, grid_view<T, D> before, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  return pleat::stencil(*detail::call_machine(), now, before, steps, kernel, options);
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::stencil(std::forward<A>(a)...); }) detail::no_result
    stencil(A&&...) {
  static_assert(detail::never<A...>,
                "pleat::stencil: give a grid_view, a contiguous range or an mdspan, or a tuple of "
                "grid_views, the number of steps, a kernel of a cell, then stencil_options");
  return {};
}

}  // namespace pleat
