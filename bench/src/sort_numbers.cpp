// SPDX-License-Identifier: Apache-2.0
#include "sort_numbers.hpp"

#include <complex>
#include <cstdint>

#include <pleat/oblivious/sort.hpp>

#include "number_order.hpp"
#include "with_number.hpp"

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

template <class T> struct sort_of {
  static run_report run(machine& on, npy_array& array) {
    return pleat::sort(on, array.memory.as<T>(array.elements));
  }
};
template <> struct sort_of<bool> : sort_of<std::uint8_t> {};  // NumPy's false is 0, its true 1
template <> struct sort_of<half> {
  static run_report run(machine& on, npy_array& array) { return sort_halves(on, array); }
};
template <> struct sort_of<long double> {
  static run_report run(machine& on, npy_array& array) {
    return pleat::sort(on, array.memory.as<long double>(array.elements), nan_last{});
  }
};
template <class T> struct sort_of<std::complex<T>> {
  static run_report run(machine& on, npy_array& array) {
    return pleat::sort(on, array.memory.as<complex_number<T>>(array.elements), complex_order{});
  }
};

}  // namespace

run_report sort_numbers(machine& on, npy_array& array) {
  return with_number(array.type, [&]<class T>() { return sort_of<T>::run(on, array); });
}

}  // namespace pleat::bench
