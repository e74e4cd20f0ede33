// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>

#include <pleat/oblivious/detail/stencil/run.hpp>
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

/// Two dimensions, rows that lie a stride apart.
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

/// On the default machine: a grid, a tuple of grids, rows, or a row of cells.
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
