// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace pleat::arrays {

/// The sum of a cell's neighbours along the axes.
template <std::size_t D>
constexpr auto around = [](const auto& u) {
  if constexpr (D == 1)
    return u(-1) + u(1);
  else if constexpr (D == 2)
    return u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1);
  else
    return u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
};
template <std::size_t D>
constexpr auto centre = [](const auto& u) {
  if constexpr (D == 1)
    return u(0);
  else if constexpr (D == 2)
    return u(0, 0);
  else
    return u(0, 0, 0);
};

// The kernels that enum stencil_kernel names.
template <class T, std::size_t D>
constexpr auto heat_step = [](const auto& u) {
  return T(0.5) * centre<D>(u) + T(0.25) / static_cast<T>(D) * around<D>(u);
};
template <class T, std::size_t D>
constexpr auto wave_step = [](const auto& u) {
  const T sum = around<D>(u);
  return 2 * centre<D>(u) - u.before() +
         T(0.5) / static_cast<T>(D) * (sum - static_cast<T>(2 * D) * centre<D>(u));
};
/// Step of the game of life, for cells that are 0 or 1.
constexpr auto life_step = [](const auto& u) {
  const auto alive = static_cast<std::uint8_t>(u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) +
                                               u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1));
  // Three, or two and alive itself.
  return static_cast<std::uint8_t>((alive | u(0, 0)) == 3 ? 1 : 0);
};

}  // namespace pleat::arrays
