// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <cstdint>
#include <functional>
#include <ranges>

#include <pleat/oblivious/argsort.hpp>

#include "sort_numbers.hpp"
#include "sort_rows.hpp"
#include "typed_array.hpp"

namespace pleat::arrays {

run_report sort_places(machine& on, const order_of_places& order, std::span<std::int64_t> indices,
                       const sort_options& options) {
  return argsort_to(on, std::views::iota(std::size_t{0}, indices.size()), indices, order, options);
}

run_report argsort_numbers(machine& on, const typed_array& array, const typed_array& indices,
                           const sort_options& options) {
  const std::size_t length = array.row();
  return with_sorted(array.type, [&]<class T, class Order>(Order order) {
    return each_row(array, options, [&](std::size_t row) {
      const std::span<const T> numbers = array.as<T>().subspan(row * length, length);
      const std::span<std::int64_t> to = indices.as<std::int64_t>().subspan(row * length, length);
      if constexpr (!std::same_as<Order, std::ranges::less>)
        return sort_places(on, places_of(numbers, order), to, options);
      else if constexpr (std::same_as<T, half>)
        return argsort_to(on, numbers, to, order, half_rank, options);
      else
        return argsort_to(on, numbers, to, order, options);
    });
  });
}

}  // namespace pleat::arrays
