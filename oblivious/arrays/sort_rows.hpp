// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/run_report.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

// NumPy's order where C++ has none of its own.

struct nan_last {
  bool operator()(long double a, long double b) const {
    return a < b || (std::isnan(b) && !std::isnan(a));
  }
};

// Complex number as it lies in memory; std::complex would do as well, but promises less about its
// layout.
template <class T> struct complex_number { T real, imaginary; };

struct complex_order {
  template <class T> bool operator()(const complex_number<T>& a, const complex_number<T>& b) const {
    const int left = nans(a), right = nans(b);
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

/// f.template operator()<T>(order) for numbers of the type as they are sorted: float16 as half, by
/// half_rank.
template <class F> auto with_sorted(const number_type& type, const F& f) {
  return with_number(type, [&]<class T>() {
    if constexpr (std::same_as<T, bool>)  // NumPy's false is 0, its true 1
      return f.template operator()<std::uint8_t>(std::ranges::less());
    else if constexpr (std::same_as<T, long double>)
      return f.template operator()<T>(nan_last());
    else if constexpr (requires { typename T::value_type; })
      return f.template operator()<complex_number<typename T::value_type>>(complex_order());
    else
      return f.template operator()<T>(std::ranges::less());
  });
}

// Order of float16, which no arithmetic type has: that of a 16-bit integer, negative numbers
// mirrored, then turned so that the NaNs of either sign come last.

/// Place of a number in the order in which zeros are equal, and NaNs, which are last.
[[nodiscard]] inline std::int32_t half_rank(half h) {
  const std::int32_t magnitude = h.bits & 0x7fff;
  if (magnitude > 0x7c00) return 0x7fff;
  return (h.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// Halves as integers of their order; as long as it lives, also if sorting them throws.
class halves_as_integers {
 public:
  explicit halves_as_integers(std::span<std::uint16_t> halves) noexcept : halves_(halves) {
    for (auto& half : halves_) half = static_cast<std::uint16_t>(mirrored(half) - least);
  }
  halves_as_integers(const halves_as_integers&) = delete;
  halves_as_integers& operator=(const halves_as_integers&) = delete;
  ~halves_as_integers() {
    for (auto& half : halves_) {
      const auto bits = static_cast<std::uint16_t>(half + least);
      half = static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? bits & 0x7fffU : ~bits);
    }
  }

 private:
  static constexpr std::uint16_t mirrored(std::uint16_t bits) {
    return static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? ~bits : bits | 0x8000U);
  }
  static constexpr std::uint16_t minus_infinity = 0xfc00;
  static constexpr std::uint16_t least = static_cast<std::uint16_t>(~minus_infinity);  // mirrored

  std::span<std::uint16_t> halves_;
};

/// sort_row(row) for each row, one after the other. Returns what the last one did.
template <class F>
run_report each_row(const typed_array& array, const sort_options& options, const F& sort_row) {
  if (options.vps && array.rows() > 1)
    throw usage_error("sort: vps is of a single row, and there are " +
                      std::to_string(array.rows()) + "; leave it out");
  run_report report;
  for (std::size_t row = 0; row < array.rows(); ++row) report = sort_row(row);
  return report;
}

/// An order of the places of numbers whose type is forgotten.
struct order_of_places {
  const void* numbers;
  bool (*less)(const void* numbers, std::size_t i, std::size_t j);

  bool operator()(std::size_t i, std::size_t j) const { return less(numbers, i, j); }
};

template <class T, class Order>
[[nodiscard]] order_of_places places_of(std::span<const T> numbers, Order /*without state*/) {
  return {numbers.data(), [](const void* all, std::size_t i, std::size_t j) {
            const T* const number = static_cast<const T*>(all);
            return Order()(number[i], number[j]);
          }};
}

/// Sorts the places 0, 1, … of as many numbers as there are indices, stably. It is compiled once
/// for all orders that no kernel of the library knows. Returns and throws as argsort_to.
run_report sort_places(machine& on, const order_of_places& order, std::span<std::int64_t> indices,
                       const sort_options& options);

/// Sorts numbers by way of their places. If it throws, they are as before.
template <class T, class Order>
run_report sort_by_places(machine& on, std::span<T> numbers, Order order,
                          const sort_options& options) {
  std::vector<std::int64_t> places(numbers.size());
  const run_report report =
      sort_places(on, places_of(std::span<const T>(numbers), order), places, options);
  std::vector<T> sorted(numbers.size());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = numbers[static_cast<std::size_t>(places[i])];
  std::ranges::copy(sorted, numbers.begin());
  return report;
}

}  // namespace pleat::arrays
