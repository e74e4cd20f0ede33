// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>

// A parameter for a projection is of the type of a call's options unless the call gives one. So
// options may stand in its place, also in braces, and one function does for both calls:
// sort(on, range, less, projection, options) and sort(on, range, less, options).
namespace pleat::detail {

template <class Projection, class Options>
using projection_type =
    std::conditional_t<std::same_as<Projection, Options>, std::identity, Projection>;

inline constexpr std::identity whole_elements;

template <class Options, class Projection>
[[nodiscard]] constexpr auto& projection_in(Projection& given) noexcept {
  if constexpr (std::same_as<Projection, Options>)
    return whole_elements;
  else
    return given;
}
template <class Options, class Projection>
[[nodiscard]] constexpr const Options& options_in(const Projection& given,
                                                  const Options& options) noexcept {
  if constexpr (std::same_as<Projection, Options>)
    if (!(given == Options())) return given;
  return options;
}

}  // namespace pleat::detail
