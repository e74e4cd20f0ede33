// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/stencil/grid.hpp>
#include <pleat/oblivious/stencil/one_cell_a_vp.hpp>
#include <pleat/oblivious/stencil/program.hpp>
#include <pleat/oblivious/stencil/sweep.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

struct stencil_options {
  /// One for all dimensions, or one for each: {boundary::fixed, boundary::periodic}.
  boundaries edges = boundary::fixed;
  /// After so many steps, again and again, `after(steps so far)` is called on the caller's thread,
  /// while nobody computes: it finds the grid as it is then, and may change it. What it throws
  /// reaches the caller, and the grid stays as it was. It may not run anything on the machine.
  std::size_t every = 0;
  std::function<void(std::size_t)> after = {};
  /// How many virtual processors, any number; unset: one a processor, fewer for little work. As
  /// many as cells, of a cube whose side is a power of two, not periodic, without `after`: the
  /// program of the model, one cell a VP.
  std::optional<std::size_t> vps = std::nullopt;
};

namespace detail::stencils {

/// Below this many bytes of cells times steps per VP, waking another processor costs more than it
/// saves.
inline constexpr std::size_t least_work = std::size_t{1} << 18;

template <class T, std::size_t D>
void check_grid(const grid_view<T, D>& g, const std::array<std::size_t, D>& size) {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "pleat::stencil: cells are written, and copied byte by byte");
  if (g.size != size)
    throw usage_error("stencil: the grids of a run must have the same size; give it such");
  if (g.cells() == 0) return;
  std::size_t least = 1;
  for (std::size_t i = D; i-- > 0; least = g.stride[i] * g.size[i]) {
    const bool last = i + 1 == D;
    if (last ? g.stride[i] != 1 : g.stride[i] < least)
      throw usage_error("stencil: stride[" + std::to_string(i) + "] of a grid is " +
                        std::to_string(g.stride[i]) + " and must be " + (last ? "" : "at least ") +
                        std::to_string(least) + "; no cell may be in two places");
  }
}

/// Whether two grids may have a cell in common. Parts of rows of one larger grid have none.
template <class A, class B, std::size_t D>
bool may_overlap(const grid_view<A, D>& a, const grid_view<B, D>& b) {
  if (a.cells() == 0) return false;
  const auto first = [](const auto& g) { return reinterpret_cast<std::uintptr_t>(g.data); };
  const auto bytes = [](const auto& g) {
    std::size_t last = 1;
    for (std::size_t i = 0; i < D; ++i) last += (g.size[i] - 1) * g.stride[i];
    return last * sizeof(*g.data);
  };
  const std::uintptr_t low = std::min(first(a), first(b)), high = std::max(first(a), first(b));
  const bool a_first = first(a) <= first(b);
  if (high - low >= (a_first ? bytes(a) : bytes(b))) return false;
  if (sizeof(A) != sizeof(B) || a.stride != b.stride || D == 1) return true;
  // The same lattice: they are apart in the columns, or they meet.
  const std::size_t row = a.stride[D - 2] * sizeof(A);
  const std::size_t apart = (high - low) % row;
  const std::size_t columns = a.size[D - 1] * sizeof(A);
  return apart < columns || apart + columns > row;
}

template <std::size_t D, class... T> void check_apart(const std::tuple<grid_view<T, D>...>& grids) {
  std::apply(
      [](const auto&... g) {
        std::size_t i = 0;
        const auto with_earlier = [&](const auto& mine, std::size_t place) {
          std::size_t j = 0;
          const auto against = [&](const auto& other) {
            if (j++ < place && may_overlap(mine, other))
              throw usage_error("stencil: two grids overlap; give each memory of its own");
          };
          (against(g), ...);
        };
        (with_earlier(g, i++), ...);
      },
      grids);
}

template <std::size_t D> std::array<boundary, D> check_options(const stencil_options& options) {
  if (options.edges.given != 1 && options.edges.given != D)
    throw usage_error("stencil: " + std::to_string(options.edges.given) + " boundaries for " +
                      std::to_string(D) + " dimensions; give one for all or one for each");
  if (options.every > 0 && !options.after)
    throw usage_error("stencil: stencil_options::every is set; say what to call in `after`");
  if (options.every == 0 && options.after)
    throw usage_error(
        "stencil: stencil_options::after is set; say after how many steps in `every`");
  if (options.vps == std::size_t{0})
    throw usage_error(
        "stencil: 0 virtual processors cannot compute; leave stencil_options::vps unset");
  std::array<boundary, D> edges{};
  std::copy_n(options.edges.of.begin(), D, edges.begin());
  return edges;
}

template <class T, std::size_t D> std::size_t scratch_bytes(const grid_view<T, D>& g) {
  return (g.cells() * sizeof(T) + 127) / 128 * 128;
}
/// Lines so many bytes apart share a place in the caches that are not the last, more or less.
inline constexpr std::size_t cache_period = std::size_t{1} << 16;
/// How far the rows of the second level lie from those of the first in that sense.
inline constexpr std::size_t cache_distance = 10 << 10;

/// The first place in `memory`, no further than cache_period, where a second level goes well with
/// the first: grids whose rows are a power of two long would else push their own rows out.
inline std::byte* apart_from(const void* first, std::byte* memory) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(first) / 128 * 128 + cache_distance;
  return memory + (wanted - reinterpret_cast<std::uintptr_t>(memory)) % cache_period;
}

/// The second level of a field, in memory for `bytes_of` each.
template <class T, std::size_t D>
grid_view<T, D> scratch_like(const grid_view<T, D>& g, std::byte*& memory) {
  grid_view<T, D> second(reinterpret_cast<T*>(memory), g.size);
  memory += scratch_bytes(g);
  return second;
}

inline std::size_t stencil_vps(machine& on, std::size_t bytes, std::size_t steps,
                               const stencil_options& options) {
  const double work = static_cast<double>(bytes) * static_cast<double>(steps);
  const double worth =
      std::clamp(work / static_cast<double>(least_work), 1.0, static_cast<double>(on.processors()));
  return options.vps.value_or(static_cast<std::size_t>(worth));
}

/// What a VP threw is thrown, without its rank.
template <class Run> run_report rethrowing(const Run& run) {
  try {
    return run();
  } catch (const vp_failed& failure) {
    failure.rethrow_cause();
  }
}

template <bool Two, std::size_t D, class Kernel, class... T>
run_report run_stencil(machine& on, const std::tuple<field<T, D>...>& fields, std::size_t steps,
                       const Kernel& kernel, const stencil_options& options, instructions set) {
  static_assert(std::is_invocable_v<const Kernel&, inner_cell<T, D, Two>...>,
                "pleat::stencil: the kernel takes an argument for each field, by const auto&");
  using sweeper = stencils::sweeper<Kernel, D, Two, T...>;
  const auto edges = check_options<D>(options);
  if constexpr (sizeof...(T) == 1 && (std::default_initializable<T> && ...)) {
    const auto& [now, before] = std::get<0>(fields).level;
    if (steps > 0 && options.every == 0 && options.vps &&
        has_model_program(now, edges, *options.vps) &&
        (!Two || has_model_program(before, edges, *options.vps)))
      return rethrowing([&] {
        return run_model_program<Two>(on, now, Two ? before.data : nullptr, edges, steps, kernel);
      });
  }
  const sweeper with(kernel, fields, edges, set);
  const std::size_t cells = std::get<0>(fields).level[0].cells();
  if (cells == 0 || steps == 0) return {};
  constexpr std::size_t bytes = (sizeof(T) + ...);
  const std::size_t vps = stencil_vps(on, cells * bytes, steps, options);
  const schedule when{static_cast<offset>(steps), static_cast<offset>(options.every),
                      options.after};
  stencil_program<sweeper, D, Two> program(with, bytes, when, vps);
  return rethrowing([&] { return on.run(vps, [&program](vp& me) { return program(me); }); });
}

}  // namespace detail::stencils

template <class... T, std::size_t D, class Kernel>
run_report stencil(machine& on, const std::tuple<grid_view<T, D>...>& grids, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {});

/// Steps of a stencil: every cell of a grid becomes what the kernel makes of it and its neighbours,
/// all at once, and that `steps` times. In place; one, two or three dimensions; any size.
///
///     pleat::grid_view<double, 2> plate(cells.data(), {rows, columns});
///     pleat::stencil(machine, plate, 1000, [](const auto& u) {
///       return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
///     });
///
/// `kernel(u)`: u(dx), u(dx, dy) or u(dx, dy, dz), each −1, 0 or 1, is a cell's neighbour before
/// the step; the result is converted to the type of the cell. It is called by all VPs at once, more
/// than once for some cells, and with arguments of more than one type: take them by `const auto&`,
/// and depend on nothing else that changes.
///
/// Requires: cells that are trivially copyable. Not for use inside a run.
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
  return stencil(on, std::tuple<grid_view<T, D>>(grid), steps, kernel, options);
}

/// Several fields, of one size and any types: `kernel(u, v, …)` has one argument for each and
/// returns a tuple of their new values.
template <class... T, std::size_t D, class Kernel>
run_report stencil(machine& on, const std::tuple<grid_view<T, D>...>& grids, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options) {
  using namespace detail::stencils;
  const auto& size = std::get<0>(grids).size;
  std::apply([&](const auto&... g) { (check_grid(g, size), ...); }, grids);
  check_apart(grids);
  const machine::turn mine(on, machine::use::scratch);
  std::size_t bytes = 0;
  std::apply([&](const auto&... g) { bytes = (scratch_bytes(g) + ...); }, grids);
  std::byte* memory = apart_from(std::get<0>(grids).data, on.scratch(bytes + cache_period).data());
  const auto fields = std::apply(
      [&](const auto&... g) {
        return std::tuple<field<T, D>...>{field<T, D>{{g, scratch_like(g, memory)}}...};
      },
      grids);
  return run_stencil<false>(on, fields, steps, kernel, options, all_instructions().back());
}

/// Two steps back, as wave equations want: the kernel may also ask for `u.before()`, the cell
/// itself one step before u. `before` has the grid of that step; afterwards it has that of the last
/// step but one. Where cells are fixed, both end as those of `now`. No memory but the two grids.
/// Both have the same size and do not overlap.
template <class T, std::size_t D, class Kernel>
run_report stencil(machine& on, grid_view<T, D> now, grid_view<T, D> before, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options = {}) {
  using namespace detail::stencils;
  check_grid(now, now.size);
  check_grid(before, now.size);
  check_apart(std::tuple<grid_view<T, D>, grid_view<T, D>>(now, before));
  const machine::turn mine(on, machine::use::scratch);
  return run_stencil<true>(on, std::tuple<field<T, D>>(field<T, D>{{now, before}}), steps, kernel,
                           options, all_instructions().back());
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

}  // namespace pleat
