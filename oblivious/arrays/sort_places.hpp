// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::arrays {

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
