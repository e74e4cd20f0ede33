// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/stencil/sweep.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

// Run of a user's call: the two levels of each field.
namespace pleat::detail::stencils {

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

}  // namespace pleat::detail::stencils
