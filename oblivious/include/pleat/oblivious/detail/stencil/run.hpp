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

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/stencil/box_update.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/lanes.hpp>
#include <pleat/oblivious/detail/stencil/rank_run.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::stencils {

/// Sweeps the parts of tiles: in lanes, two steps at a time, or step by step.
template <class Kernel, std::size_t D, bool Two, class... T>
class sweeper final : public any_sweeper<D> {
 public:
  sweeper(const Kernel& kernel, const std::tuple<field<T, D>...>& of,
          const std::array<boundary, D>& edges, instructions set)
      : any_sweeper<D>(untyped(of), edges, Two, in_lanes ? lane_updates::most : 0),
        ends_{edges, any_sweeper<D>::size()},
        update_(kernel, of, ends_, set),
        lanes_(kernel, set),
        fields_(of) {}

  void sweep(const zoid<D>& tile, const part_of_zoid<D>& of, unsigned first_level) const override {
    part_of_zoid<D> part = of;
    if constexpr (in_lanes) part.low[0] = sweep_in_lanes(tile, part, first_level);
    if constexpr (updates::twice)
      for (; part.first + 2 <= part.last; part.first += 2)
        two_steps(tile, part, (first_level + static_cast<unsigned>(part.first)) % 2);
    for (offset k = part.first; k < part.last; ++k) {
      const box<D> cells = stencils::section(tile, part, k);
      if (!cells.empty()) update_.step(cells, (first_level + static_cast<unsigned>(k)) % 2);
    }
  }

 private:
  using updates = box_update<Kernel, D, Two, T...>;
  using lane_updates = lane_update<Kernel, T...>;
  static constexpr bool in_lanes = D == 1 && !Two && lane_updates::possible;
  struct no_lanes {
    no_lanes(const Kernel&, instructions) {}
  };

  static std::vector<untyped_field<D>> untyped(const std::tuple<field<T, D>...>& of) {
    return std::apply(
        [](const auto&... f) { return std::vector<untyped_field<D>>{untyped_field<D>(f)...}; }, of);
  }

  /// Performs the next two steps of a part: as many pairs of rows as possible in one pass, the rows
  /// above and below them step by step. The second step of a pair is one row higher.
  void two_steps(const zoid<D>& tile, const part_of_zoid<D>& part, unsigned level) const
      requires(updates::twice) {
    const box<D> now = stencils::section(tile, part, part.first),
                 then = stencils::section(tile, part, part.first + 1);
    const range all{0, ends_.size[1]};
    range pairs{std::max(now.sides[0].first, then.sides[0].first + 1),
                std::min(now.sides[0].last, then.sides[0].last + 1)};
    if (ends_.edges[0] != boundary::fixed) pairs = intersect(pairs, {2, ends_.size[0] - 1});
    // The first rows must not need cells that the last rows have overwritten.
    const bool round = ends_.edges[0] == boundary::periodic && !tile.in[0].cut;
    if (round || !all.covers(now.sides[1]) || !all.covers(then.sides[1])) pairs.last = pairs.first;
    pairs.last -= pairs.size() % 2;
    const auto rows_of = [&](const box<D>& cells, offset from, offset to, unsigned l) {
      const box<D> some{{intersect(cells.sides[0], {from, to}), cells.sides[1]}};
      if (!some.empty()) update_.step(some, l);
    };
    if (pairs.empty()) pairs = {now.sides[0].last, now.sides[0].last};
    rows_of(now, now.sides[0].first, pairs.first, level);
    if (!pairs.empty()) {
      rows_of(then, then.sides[0].first, pairs.first - 1, 1 - level);
      update_.step_twice(pairs, now.sides[1], then.sides[1], level);
      rows_of(now, pairs.last, now.sides[0].last, level);
    }
    rows_of(then, pairs.empty() ? then.sides[0].first : pairs.last - 1, then.sides[0].last,
            1 - level);
  }

  /// Sweeps as much of the part as lanes can hold, from its lower end on. Returns the beginning of
  /// the rest.
  offset sweep_in_lanes(const zoid<D>& tile, const part_of_zoid<D>& part,
                        unsigned first_level) const requires(D == 1) {
    const offset low = part.low[0];
    const offset width = (part.high[0] - low) / lane_updates::multiple * lane_updates::multiple;
    if (width < lane_updates::least || !stencils::leaning(tile.in[0], part)) return low;
    const offset lowest = low - (part.last - 1), highest = low + width - 1 - part.first;
    const offset round = lowest >= ends_.size[0] ? -ends_.size[0] : highest < 0 ? ends_.size[0] : 0;
    if (lowest + round < 1 || highest + round > ends_.size[0] - 2) return low;
    for (offset done = 0; done < width; done += lane_updates::most) {
      const offset first = low + done;
      lanes_.update({levels(first_level % 2, round), first,
                     first + std::min(width - done, lane_updates::most), part.first, part.last});
    }
    return low + width;
  }
  /// Returns cell 0 of the levels that even and odd steps read.
  auto levels(unsigned even, offset round) const {
    return std::apply(
        [&](const auto&... f) {
          return std::tuple{
              std::array{f.level[even].data + round, f.level[1 - even].data + round}...};
        },
        fields_);
  }

  grid_ends<D> ends_;
  updates update_;
  std::conditional_t<in_lanes, lane_updates, no_lanes> lanes_;
  std::tuple<field<T, D>...> fields_;
};

// Run of a user's call: the two levels of each field.

/// Tells whether a kernel can be called with a cell of each field, and gives their values.
template <class Kernel, std::size_t D, bool Two, class... T> constexpr bool is_kernel() {
  if constexpr (std::is_invocable_v<const Kernel&, inner_cell<T, D, Two>...>) {
    using value =
        std::remove_cvref_t<std::invoke_result_t<const Kernel&, inner_cell<T, D, Two>...>>;
    if constexpr (sizeof...(T) == 1)
      return (requires(const value& x) { static_cast<T>(x); } && ...);
    else if constexpr (requires { std::tuple_size<value>::value; })
      return std::tuple_size_v<value> == sizeof...(T);
  }
  return false;
}

/// Performs steps of these fields. With `Two` the kernel may read a cell's value two steps back.
template <bool Two, std::size_t D, class Kernel, class... T>
run_report run_stencil(machine& on, const std::tuple<field<T, D>...>& fields, std::size_t steps,
                       const Kernel& kernel, const stencil_options& options, instructions set) {
  if constexpr (stencils::is_kernel<Kernel, D, Two, T...>()) {  // else the caller's assertion fails
    const sweeper<Kernel, D, Two, T...> with(kernel, fields, stencils::check_options<D>(options),
                                             set);
    return stencils::run_steps<D>(on, with, steps, options);
  } else {
    return {};
  }
}

/// Distance in bytes of cache lines that, roughly, share a set in all caches but the last level.
inline constexpr std::size_t cache_period = std::size_t{1} << 16;
/// Distance, modulo cache_period, of the rows of the second level from those of the first.
inline constexpr std::size_t cache_distance = 10 << 10;

/// Memory for the second levels of fields, placed at cache_distance from the first levels:
/// otherwise the rows of grids whose row length is a power of two would evict each other from the
/// caches.
template <class... T> class second_levels {
 public:
  void lay_out(arena& in, std::size_t cells) {
    // Each has room to be moved.
    arrays_ = {reinterpret_cast<T*>(in.array<std::byte>(cells * sizeof(T) + cache_period))...};
  }
  [[nodiscard]] std::tuple<T*...> apart_from(const void* first) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(std::get<0>(arrays_));
    const auto wanted = reinterpret_cast<std::uintptr_t>(first) + cache_distance;
    const std::size_t by = (wanted - begin) % cache_period;
    return std::apply(
        [by](T*... array) {
          return std::tuple<T*...>{
              reinterpret_cast<T*>(reinterpret_cast<std::byte*>(array) + by)...};
        },
        arrays_);
  }

 private:
  std::tuple<T*...> arrays_;
};

/// Runs steps of fields, each with its second level in the machine's scratch memory.
template <std::size_t D, class Kernel, class... T>
run_report step_fields(machine& named, const std::tuple<grid_view<T, D>...>& grids,
                       std::size_t steps, const Kernel& kernel, const stencil_options& options) {
  const auto untyped =
      std::apply([](const auto&... g) { return std::array{untyped_grid<D>(g)...}; }, grids);
  for (const auto& grid : untyped) stencils::check_grid<D>(grid, untyped[0].size);
  stencils::check_apart<D>(untyped);
  const std::size_t cells = untyped[0].cells();
  const call_machine here(named);
  machine& on = *here;
  const machine::turn mine(on, machine::use::scratch);
  second_levels<T...> memory;
  arena::take(on, [&](arena& in) { memory.lay_out(in, cells); });
  const std::tuple<T*...> second = memory.apart_from(untyped[0].data);
  const auto fields = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<field<T, D>...>{field<T, D>{
        {std::get<I>(grids), grid_view<T, D>(std::get<I>(second), std::get<I>(grids).size)}}...};
  }
  (std::index_sequence_for<T...>{});
  return stencils::run_stencil<false>(on, fields, steps, kernel, options,
                                      chosen_instructions(all_instructions()));
}

/// Runs steps of fields of which the caller has both levels.
template <class T, std::size_t D, class Kernel>
run_report step_two_levels(machine& named, const grid_view<T, D>& now,
                           const grid_view<T, D>& before, std::size_t steps, const Kernel& kernel,
                           const stencil_options& options) {
  const std::array untyped{untyped_grid<D>(now), untyped_grid<D>(before)};
  for (const auto& grid : untyped) stencils::check_grid<D>(grid, now.size);
  stencils::check_apart<D>(untyped);
  const call_machine here(named);
  machine& on = *here;
  const machine::turn mine(on, machine::use::scratch);
  return stencils::run_stencil<true>(on, std::tuple<field<T, D>>(field<T, D>{{now, before}}), steps,
                                     kernel, options, chosen_instructions(all_instructions()));
}

// Run of a call of stencil with distributed grids: windows in scratch memory.

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
  call.compare(stencils::words_of(any.size(), sizeof...(T), Two, steps, options),
               "stencil: sizes, steps or options");
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
