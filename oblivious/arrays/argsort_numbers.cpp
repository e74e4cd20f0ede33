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
namespace {

template <class T, class Order = std::ranges::less, class... Projection>
run_report argsort_as(machine& on, const typed_array& array, const typed_array& indices,
                      const sort_options& options, const Order& order = {},
                      const Projection&... projection) {
  const std::size_t length = array.row();
  return each_row(array, options, [&](std::size_t row) {
    return argsort_to(on, array.as<T>().subspan(row * length, length),
                      indices.as<std::int64_t>().subspan(row * length, length), order,
                      projection..., options);
  });
}

template <class T, class Order>
run_report argsort_places(machine& on, const typed_array& array, const typed_array& indices,
                          const sort_options& options, Order order) {
  const std::size_t length = array.row();
  return each_row(array, options, [&](std::size_t row) {
    const std::span<const T> numbers = array.as<T>().subspan(row * length, length);
    return sort_places(on, places_of(numbers, order),
                       indices.as<std::int64_t>().subspan(row * length, length), options);
  });
}

}  // namespace

run_report sort_places(machine& on, const order_of_places& order, std::span<std::int64_t> indices,
                       const sort_options& options) {
  return argsort_to(on, std::views::iota(std::size_t{0}, indices.size()), indices, order, options);
}

run_report argsort_numbers(machine& on, const typed_array& array, const typed_array& indices,
                           const sort_options& options) {
  return with_number(array.type, [&]<class T>() {
    if constexpr (std::same_as<T, bool>)
      return argsort_as<std::uint8_t>(on, array, indices, options);  // NumPy's false is 0
    else if constexpr (std::same_as<T, half>)
      return argsort_as<half>(on, array, indices, options, std::ranges::less(), half_rank);
    else if constexpr (std::same_as<T, long double>)
      return argsort_places<T>(on, array, indices, options, nan_last());
    else if constexpr (requires { typename T::value_type; })
      return argsort_places<complex_number<typename T::value_type>>(on, array, indices, options,
                                                                    complex_order());
    else
      return argsort_as<T>(on, array, indices, options);
  });
}

}  // namespace pleat::arrays
