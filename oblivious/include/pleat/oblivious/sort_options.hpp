// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>

namespace pleat {

/// How sort, stable_sort, argsort and sort_by_key are carried out.
struct sort_options {
  /// How many virtual processors to sort with, any number; unset: one a processor, fewer if there
  /// are few keys. The keys' number, if a power of two: the program of the model, one key a VP.
  std::optional<std::size_t> vps;
};

namespace detail::sorting {

// A parameter for a projection is of type sort_options unless the call gives one. So options may
// stand in its place, also in braces, and one function does for both calls:
// sort(on, range, less, projection, options) and sort(on, range, less, options).

template <class Projection>
using projection_type =
    std::conditional_t<std::same_as<Projection, sort_options>, std::identity, Projection>;

template <class Projection> constexpr decltype(auto) projection_in(Projection& given) noexcept {
  if constexpr (std::same_as<Projection, sort_options>)
    return std::identity();
  else
    return (given);
}
template <class Projection>
constexpr const sort_options& options_in(const Projection& given,
                                         const sort_options& options) noexcept {
  if constexpr (std::same_as<Projection, sort_options>)
    if (given.vps) return given;
  return options;
}

}  // namespace detail::sorting

}  // namespace pleat
