// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/stencil/rank_run.hpp>
#include <pleat/oblivious/detail/stencil/run.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

// Run of a call of stencil with distributed grids: windows in scratch memory.
namespace pleat::detail::stencils {

/// Throws usage_error if the grids differ in size, are not of this machine, or are not distinct.
template <class First, class... Others>
void check_grids(const machine& on, const First& first, const Others&... others) {
  [[maybe_unused]] const auto check = [&](const auto& other) {
    other.require_machine(on, "stencil");
    if (other.size() != first.size())
      throw usage_error("stencil: fields of different sizes; make all distributed grids alike");
    if (static_cast<const void*>(&other) == static_cast<const void*>(&first))
      throw usage_error("stencil: one grid is two of the fields; give each field a grid");
  };
  (check(others), ...);
  if constexpr (sizeof...(Others) > 1) stencils::check_grids(on, others...);
}

/// Returns the arguments that must be equal on all ranks.
template <std::size_t D>
distribution::agreed_words words_of(const std::array<std::size_t, D>& size, std::size_t fields,
                                    bool two, std::size_t steps, const stencil_options& options) {
  distribution::agreed_words words{D,     fields,        two ? 1U : 0U,
                                   steps, options.every, options.edges.given};
  for (std::size_t i = 0; i < 3; ++i)
    words[6 + i] = static_cast<std::uint64_t>(options.edges.of[i]);
  for (std::size_t i = 0; i < D; ++i) words[9 + i] = size[i];
  words[12] = options.vps.value_or(0);
  return words;
}

/// Both levels of fields in a window of a grid, and memory for `landing_cells` of the caller's
/// cells.
template <bool Two, std::size_t D, class... T> struct window_memory {
  std::tuple<field<T, D>...> fields;
  std::byte* landing = nullptr;

  /// Requires: a turn for the machine's scratch memory.
  window_memory(machine& on, const box<D>& window, std::size_t landing_cells) {
    std::array<std::size_t, D> size{};
    std::size_t cells = 1;
    for (std::size_t i = 0; i < D; ++i)
      cells *= size[i] = static_cast<std::size_t>(window.sides[i].size());
    std::tuple<T*...> first;
    second_levels<T...> others;
    arena::take(on, [&](arena& in) {
      first = {in.array<T>(cells)...};
      others.lay_out(in, cells);
      landing = in.array<std::byte>((Two ? 2 : 1) * (sizeof(T) + ...) * landing_cells);
    });
    const std::tuple<T*...> second = others.apart_from(std::get<0>(first));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((std::get<I>(fields) = {{grid_view<T, D>(std::get<I>(first), size),
                                grid_view<T, D>(std::get<I>(second), size)}}),
       ...);
    }
    (std::index_sequence_for<T...>{});
  }
};

/// Performs steps of these fields on several ranks; with `Two` of one field, whose level one step
/// back is `before`. The ranks compare arguments in one run, and perform all steps in another.
template <bool Two, std::size_t D, class Kernel, class... T, class... Before>
run_report step_over_ranks(machine& on, distribution::collective_call& call,
                           const std::tuple<distributed_grid<T, D>&...>& grids, std::size_t steps,
                           const Kernel& kernel, const stencil_options& options,
                           Before&... before) {
  static_assert(std::is_invocable_v<const Kernel&, inner_cell<T, D, Two>...>,
                "pleat::stencil: the kernel takes an argument for each field, by const auto&");
  const auto& any = std::get<0>(grids);
  const std::size_t rank = on.rank(), threads = on.threads();
  constexpr std::size_t cell_bytes = (sizeof(T) + ...);
  std::array<offset, D> size{};
  for (std::size_t i = 0; i < D; ++i) size[i] = static_cast<offset>(any.size()[i]);
  std::array<boundary, D> edges{};
  std::size_t vps = 1;
  call.here([&] {
    edges = stencils::check_options<D>(options);
    vps = stencils::vps_over_ranks<D>(threads, size, any.cells() * cell_bytes, steps, options);
  });
  const distribution::agreed_words words =
      stencils::words_of(any.size(), sizeof...(T), Two, steps, options);
  call.run([&](vp& me, const distribution::rank_places& places) {
    return distribution::agree(me, places, rank, words, "stencil: sizes, steps or options");
  });
  if (any.cells() == 0 || steps == 0) return {};
  const distribution::rank_places& places = call.spread(std::max(vps, threads));
  std::vector<untyped_field<D>> slabs;
  std::optional<machine::turn> scratch;
  std::optional<rank_cells<D>> cells;
  std::optional<sweeper<Kernel, D, Two, T...>> with;
  std::optional<rank_run<D>> ready;
  call.here([&] {
    const std::size_t longest = options.every > 0 ? std::min(options.every, steps) : steps;
    const bands<D> partition(size, edges, 2 * cell_bytes, Two, static_cast<offset>(longest), vps);
    cells.emplace(size, partition, places, rank);
    const auto add = [&]<class U>(const grid_view<U, D>& now, const grid_view<U, D>& other) {
      slabs.emplace_back(field<U, D>{{now, other}});
    };
    std::apply(
        [&](auto&... grid) {
          if constexpr (Two)
            (add(grid.local(), before.local()...), ...);
          else
            (add(grid.local(), grid.local()), ...);
        },
        grids);
    scratch.emplace(on, machine::use::scratch);
    const window_memory<Two, D, T...> memory(on, cells->window(), cells->landing_cells());
    with.emplace(kernel, memory.fields, partition.window_edges(),
                 chosen_instructions(all_instructions()));
    ready.emplace(rank_run<D>{*cells, *with, slabs, memory.landing});
  });
  return stencils::run_steps_over_ranks<D>(call, ready ? &*ready : nullptr, steps, options);
}

}  // namespace pleat::detail::stencils
