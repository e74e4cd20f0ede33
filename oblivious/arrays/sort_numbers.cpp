// SPDX-License-Identifier: Apache-2.0
#include "sort_numbers.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/sort.hpp>

#include "sort_rows.hpp"

namespace pleat::arrays {
namespace {

using row_sorter = void (*)(std::byte* row, std::size_t length);

// Shorter rows are not worth a second processor: those get rows of their own.
bool side_by_side(const typed_array& array, const sort_options& options) {
  return array.rows() > 1 && !options.vps &&
         array.row() * array.type.bytes < 2 * detail::least_bytes_per_vp;
}
run_report sort_side_by_side(machine& on, const typed_array& array, row_sorter sort_row) {
  detail::ready_kernels();
  run_report report;
  const std::size_t row_bytes = array.row() * array.type.bytes;
  pleat::for_each_index(
      on, array.rows(),
      [&](std::size_t row) { sort_row(array.data + row * row_bytes, array.row()); },
      {.report = &report});
  return report;
}

template <class T, class Order>
run_report sort_as(machine& on, const typed_array& array, const sort_options& options,
                   Order order) {
  if (side_by_side(array, options))
    return sort_side_by_side(on, array, [](std::byte* row, std::size_t length) {
      T* const numbers = reinterpret_cast<T*>(row);
      if constexpr (std::same_as<Order, std::ranges::less>)
        detail::sorting::sort_keys(numbers, length, detail::sorting::key_map_of<T>(false));
      else
        std::ranges::sort(std::span(numbers, length), Order());
    });
  const std::span<T> all = array.as<T>();
  const std::size_t length = array.row();
  return each_row(array, options, [&](std::size_t row) {
    const std::span<T> numbers = all.subspan(row * length, length);
    if constexpr (alignof(T) == alignof(long double))  // nobody has enough of them to mind
      return sort_by_places(on, numbers, order, options);
    else
      return pleat::sort(on, numbers, order, options);
  });
}

}  // namespace

run_report sort_numbers(machine& on, const typed_array& array, const sort_options& options) {
  return with_sorted(array.type, [&]<class T, class Order>(Order order) {
    if constexpr (std::same_as<T, half>) {
      const halves_as_integers integers(array.as<std::uint16_t>());
      return sort_as<std::uint16_t>(on, array, options, order);
    } else {
      return sort_as<T>(on, array, options, order);
    }
  });
}

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
