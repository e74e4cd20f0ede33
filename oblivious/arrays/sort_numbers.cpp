// SPDX-License-Identifier: Apache-2.0
#include "sort_numbers.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>

#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/oblivious/detail/sort/word_kernels.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/sort.hpp>

#include "half_order.hpp"
#include "number_order.hpp"
#include "sort_places.hpp"
#include "sort_rows.hpp"
#include "with_number.hpp"

namespace pleat::arrays {
namespace {

// One processor sorts a row.
template <class T, class Order> void sort_alone(std::span<T> row, const Order& order) {
  if constexpr (std::same_as<Order, std::ranges::less>)
    detail::sorting::sort_keys(row.data(), row.size(), detail::sorting::key_map_of<T>(false));
  else
    std::ranges::sort(row, order);
}

template <class T, class Order = std::ranges::less>
run_report sort_as(machine& on, const typed_array& array, const sort_options& options,
                   const Order& order = {}) {
  const std::span<T> all = array.as<T>();
  const std::size_t length = array.row();
  // Shorter rows are not worth a second processor: those get rows of their own.
  const bool side_by_side =
      array.rows() > 1 && !options.vps && length < 2 * detail::least_bytes_per_vp / sizeof(T);
  if (!side_by_side)
    return each_row(array, options, [&](std::size_t row) {
      const std::span<T> numbers = all.subspan(row * length, length);
      if constexpr (alignof(T) == alignof(long double))  // nobody has enough of them to mind
        return sort_by_places(on, numbers, order, options);
      else
        return pleat::sort(on, numbers, order, options);
    });
  detail::ready_kernels();
  run_report report;
  pleat::for_each_index(
      on, array.rows(),
      [&](std::size_t row) { sort_alone(all.subspan(row * length, length), order); },
      {.report = &report});
  return report;
}

run_report sort_halves(machine& on, const typed_array& array, const sort_options& options) {
  const halves_as_integers integers(array.as<std::uint16_t>());
  return sort_as<std::uint16_t>(on, array, options);
}

}  // namespace

run_report sort_numbers(machine& on, const typed_array& array, const sort_options& options) {
  return with_number(array.type, [&]<class T>() {
    if constexpr (std::same_as<T, bool>)
      return sort_as<std::uint8_t>(on, array, options);  // NumPy's false is 0, its true 1
    else if constexpr (std::same_as<T, half>)
      return sort_halves(on, array, options);
    else if constexpr (std::same_as<T, long double>)
      return sort_as<T>(on, array, options, nan_last{});
    else if constexpr (requires { typename T::value_type; })
      return sort_as<complex_number<typename T::value_type>>(on, array, options, complex_order{});
    else
      return sort_as<T>(on, array, options);
  });
}

}  // namespace pleat::arrays
