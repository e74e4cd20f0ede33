// SPDX-License-Identifier: Apache-2.0
#include "sort_numbers.hpp"

#include <concepts>
#include <cstdint>

#include <pleat/oblivious/sort.hpp>

#include "tool/number_order.hpp"
#include "tool/with_number.hpp"

namespace pleat::bench {
namespace {

// No arithmetic type has these 16 bits, but their order is that of an integer: negative numbers
// mirrored, then turned so that the NaNs of either sign come last.
constexpr std::uint16_t half_of_minus_infinity = 0xfc00;

std::uint16_t mirrored(std::uint16_t bits) {
  return static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? ~bits : bits | 0x8000U);
}

run_report sort_halves(machine& on, npy_array& array) {
  const auto halves = array.memory.as<std::uint16_t>(array.elements);
  const std::uint16_t least = mirrored(half_of_minus_infinity);
  for (auto& half : halves) half = static_cast<std::uint16_t>(mirrored(half) - least);
  run_report report = pleat::sort(on, halves);
  for (auto& half : halves) {
    const auto bits = static_cast<std::uint16_t>(half + least);
    half = static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? bits & 0x7fffU : ~bits);
  }
  return report;
}

template <class T, class... Order>
run_report sort_as(machine& on, npy_array& array, const Order&... order) {
  return pleat::sort(on, array.memory.as<T>(array.elements), order...);
}

}  // namespace

run_report sort_numbers(machine& on, npy_array& array) {
  return with_number(array.type, [&]<class T>() {
    if constexpr (std::same_as<T, bool>)
      return sort_as<std::uint8_t>(on, array);  // NumPy's false is 0, its true 1
    else if constexpr (std::same_as<T, half>)
      return sort_halves(on, array);
    else if constexpr (std::same_as<T, long double>)
      return sort_as<T>(on, array, nan_last{});
    else if constexpr (requires { typename T::value_type; })
      return sort_as<complex_number<typename T::value_type>>(on, array, complex_order{});
    else
      return sort_as<T>(on, array);
  });
}

}  // namespace pleat::bench
