// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/grid_view.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

/// f.template operator()<T, D>() for cells of the type float or double, in one to three dimensions.
template <class F> auto with_cells(const number_type& type, std::size_t dimensions, const F& f) {
  const auto of = [&]<class T>() {
    if (dimensions == 1) return f.template operator()<T, 1>();
    if (dimensions == 2) return f.template operator()<T, 2>();
    return f.template operator()<T, 3>();
  };
  return type.bytes == 4 ? of.template operator()<float>() : of.template operator()<double>();
}
template <class T, std::size_t D> grid_view<T, D> grid_of(const typed_array& array) {
  std::array<std::size_t, D> size{};
  std::ranges::copy(array.shape, size.begin());
  return {array.as<T>().data(), size};
}

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
