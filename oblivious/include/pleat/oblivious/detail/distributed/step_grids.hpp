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

#include <pleat/oblivious/detail/distributed/slab_steps.hpp>
#include <pleat/oblivious/detail/program/memory_layout.hpp>
#include <pleat/oblivious/detail/stencil/open_ends.hpp>
#include <pleat/oblivious/detail/stencil/run.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

// From a stencil of distributed grids to slab_steps: windows in scratch memory, and how a rank
// steps in them.
namespace pleat::detail::distribution {

/// The two levels of each field in the windows of a rank.
template <std::size_t D, class... T> class window_levels {
 public:
  /// Takes scratch memory for windows of `rows` rows of a grid of this size. Requires: a turn for
  /// it.
  window_levels(machine& on, std::size_t rows, std::array<std::size_t, D> size) : size_(size) {
    size_[0] = rows;
    std::size_t cells = 1;
    for (const std::size_t n : size_) cells *= n;
    memory_layout layout;
    const std::tuple<placed_arrays<T>...> now{layout.add<T>(cells)...};
    const std::tuple<placed_arrays<T>...> other{layout.add<T>(cells)...};
    layout.add<std::byte>(stencils::cache_period);
    std::byte* const memory = layout.take(on);
    const auto& first_now = std::get<0>(now);
    const auto& first_other = std::get<0>(other);
    auto* const second = reinterpret_cast<std::byte*>(first_other.in(memory));
    const std::ptrdiff_t apart = stencils::apart_from(first_now.in(memory), second) - second;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((std::get<I>(of_) = {std::get<I>(now).in(memory), std::get<I>(other).in(memory + apart)}),
       ...);
    }
    (std::index_sequence_for<T...>{});
  }

  /// The first cell of a level of field I.
  template <std::size_t I> [[nodiscard]] auto* level(std::size_t which) const noexcept {
    return std::get<I>(of_)[which];
  }
  /// All levels of `count` rows, from this one on.
  [[nodiscard]] std::tuple<stencils::field<T, D>...> fields(std::size_t first,
                                                            std::size_t count) const {
    std::array<std::size_t, D> size = size_;
    size[0] = count;
    std::size_t skipped = first;
    for (std::size_t i = 1; i < D; ++i) skipped *= size[i];
    return std::apply(
        [&](const auto&... of) {
          return std::tuple<stencils::field<T, D>...>{stencils::field<T, D>{
              {grid_view<T, D>(of[0] + skipped, size), grid_view<T, D>(of[1] + skipped, size)}}...};
        },
        of_);
  }

 private:
  std::array<std::size_t, D> size_;
  std::tuple<std::array<T*, 2>...> of_{};
};

/// What all ranks must ask for alike.
template <std::size_t D>
agreed_words words_of(const std::array<std::size_t, D>& size, std::size_t fields, bool two,
                      std::size_t steps, const stencil_options& options) {
  agreed_words words{D, fields, two ? 1U : 0U, steps, options.every, options.edges.given};
  for (std::size_t i = 0; i < 3; ++i)
    words[6 + i] = static_cast<std::uint64_t>(options.edges.of[i]);
  for (std::size_t i = 0; i < D; ++i) words[9 + i] = size[i];
  return words;
}

/// Steps of these fields on several ranks; with `Two` of one field, whose level before the last is
/// `before`.
template <bool Two, std::size_t D, class Kernel, class... T, class... Before>
void step_on_ranks(machine& on, collective_call& call,
                   const std::tuple<distributed_grid<T, D>&...>& grids, std::size_t steps,
                   const Kernel& kernel, const stencil_options& options, Before&... before) {
  static_assert(std::is_invocable_v<const Kernel&, stencils::inner_cell<T, D, Two>...>,
                "pleat::stencil: the kernel takes an argument for each field, by const auto&");
  const auto& first = std::get<0>(grids);
  const std::array<std::size_t, D> size = first.size();
  std::array<boundary, D> edges{};
  call.here([&] {
    edges = stencils::check_options<D>(options);
    static_cast<void>(stencils::stencil_vps(on, 0, 0, options));
  });
  const std::size_t rank = on.rank();
  const bool nothing = first.cells() == 0 || steps == 0;
  std::size_t row_cells = 1;
  for (std::size_t i = 1; i < D; ++i) row_cells *= size[i];

  slab_steps all{slabs(size[0], on.ranks(), edges[0] == boundary::periodic), 1, 0, {}, {}, {}};
  std::optional<machine::turn> scratch;
  std::optional<window_levels<D, T...>> levels;
  interval<row_place> widest;
  if (!nothing) {
    all.steps = steps;
    all.depth =
        all.rows.depth(row_cells, options.every > 0 ? std::min(options.every, steps) : steps);
    widest = all.rows.window(rank, all.depth);
    call.here([&] {
      scratch.emplace(on, machine::use::scratch);
      levels.emplace(on, static_cast<std::size_t>(widest.size()), size);
      const auto add = [&](auto& grid, auto* window) {
        all.slab.push_back(reinterpret_cast<std::byte*>(grid.local().data));
        all.windows.push_back(
            {reinterpret_cast<std::byte*>(window), widest.first, row_cells * sizeof(*window)});
      };
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (add(std::get<I>(grids), levels->template level<I>(0)), ...);
      }
      (std::index_sequence_for<T...>{});
      (add(before, levels->template level<0>(1)), ...);
    });
  }
  const auto set = stencils::chosen_instructions(stencils::all_instructions());
  stencil_options local;
  local.vps = options.vps;
  all.step = [&](const interval<row_place>& places, std::size_t count) {
    const auto fields = levels->fields(static_cast<std::size_t>(places.first - widest.first),
                                       static_cast<std::size_t>(places.size()));
    const bool ring = all.rows.ring();
    std::array<boundary, D> ends = edges;
    if (ring) ends[0] = boundary::fixed;  // open on both sides
    const stencils::sweeper<Kernel, D, Two, T...> with(kernel, fields, ends, set);
    const stencils::narrowing_sweeper<D> narrowing(
        with,
        {ring || places.first > 0, ring || places.last < static_cast<row_place>(all.rows.rows())});
    stencils::run_steps<D>(on, narrowing, count, local);
  };
  all.run(on, call, words_of(size, sizeof...(T), Two, steps, options), options);
}

/// Throws usage_error for grids that are not of one size, of this machine, or not different ones.
template <std::size_t D, class First, class... Others>
void check_grids(const machine& on, const First& first, const Others&... others) {
  [[maybe_unused]] const auto check = [&](const auto& other) {
    other.require_machine(on, "stencil");
    if (other.size() != first.size())
      throw usage_error("stencil: fields of different sizes; make all distributed grids alike");
    if (static_cast<const void*>(&other) == static_cast<const void*>(&first))
      throw usage_error("stencil: one grid is two of the fields; give each field a grid");
  };
  (check(others), ...);
  if constexpr (sizeof...(Others) > 1) check_grids<D>(on, others...);
}

}  // namespace pleat::detail::distribution
