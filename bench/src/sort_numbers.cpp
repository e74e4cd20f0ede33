// SPDX-License-Identifier: Apache-2.0
#include "sort_numbers.hpp"

#include <cassert>
#include <cmath>
#include <cstdint>

#include <pleat/oblivious/sort.hpp>

namespace pleat::bench {
namespace {

template <class T> run_report sort_as(machine& on, npy_array& array) {
  return pleat::sort(on, array.memory.as<T>(array.elements));
}

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

struct nan_last {
  bool operator()(long double a, long double b) const {
    return a < b || (std::isnan(b) && !std::isnan(a));
  }
};

// As it lies in memory; std::complex would do as well, but promises less about its layout.
template <class T> struct complex_number { T real, imaginary; };

struct complex_order {
  template <class T> bool operator()(const complex_number<T>& a, const complex_number<T>& b) const {
    const int left = nans(a);
    const int right = nans(b);
    if (left != right) return left < right;
    // In the same class the parts that are NaN compare as neither less nor greater.
    if (a.real < b.real) return true;
    if (b.real < a.real) return false;
    return a.imaginary < b.imaginary;
  }

 private:
  template <class T> static int nans(const complex_number<T>& z) {
    return 2 * static_cast<int>(std::isnan(z.real)) + static_cast<int>(std::isnan(z.imaginary));
  }
};

template <class T> run_report sort_complex(machine& on, npy_array& array) {
  return pleat::sort(on, array.memory.as<complex_number<T>>(array.elements), complex_order{});
}

run_report sort_unsigned(machine& on, npy_array& array) {
  switch (array.type.bytes) {
    case 1:
      return sort_as<std::uint8_t>(on, array);
    case 2:
      return sort_as<std::uint16_t>(on, array);
    case 4:
      return sort_as<std::uint32_t>(on, array);
    default:
      return sort_as<std::uint64_t>(on, array);
  }
}

run_report sort_signed(machine& on, npy_array& array) {
  switch (array.type.bytes) {
    case 1:
      return sort_as<std::int8_t>(on, array);
    case 2:
      return sort_as<std::int16_t>(on, array);
    case 4:
      return sort_as<std::int32_t>(on, array);
    default:
      return sort_as<std::int64_t>(on, array);
  }
}

run_report sort_floating(machine& on, npy_array& array) {
  switch (array.type.bytes) {
    case 2:
      return sort_halves(on, array);
    case 4:
      return sort_as<float>(on, array);
    case 8:
      return sort_as<double>(on, array);
    default:
      assert(array.type.bytes == sizeof(long double));
      return pleat::sort(on, array.memory.as<long double>(array.elements), nan_last{});
  }
}

}  // namespace

run_report sort_numbers(machine& on, npy_array& array) {
  switch (array.type.kind) {
    case number_kind::boolean:  // as bytes: NumPy's false is 0 and its true is 1
    case number_kind::unsigned_integer:
      return sort_unsigned(on, array);
    case number_kind::signed_integer:
      return sort_signed(on, array);
    case number_kind::floating:
      return sort_floating(on, array);
    case number_kind::complex:
      break;
  }
  switch (array.type.bytes) {
    case 8:
      return sort_complex<float>(on, array);
    case 16:
      return sort_complex<double>(on, array);
    default:
      return sort_complex<long double>(on, array);
  }
}

}  // namespace pleat::bench
