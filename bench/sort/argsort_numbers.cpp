// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <cstdint>
#include <functional>

#include <pleat/oblivious/argsort.hpp>

#include "sort_numbers.hpp"
#include "tool/number_order.hpp"
#include "tool/with_number.hpp"

namespace pleat::bench {
namespace {

/// Its place in the order: NaNs last, zeros equal.
std::int32_t rank_of(half h) {
  const std::int32_t magnitude = h.bits & 0x7fff;
  if (magnitude > 0x7c00) return 0x7fff;
  return (h.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

template <class T, class... Order>
run_report argsort_as(machine& on, const npy_array& array, npy_array& indices,
                      const Order&... order) {
  return argsort_to(on, array.memory.as<T>(array.elements),
                    indices.memory.as<std::int64_t>(array.elements), order...);
}

}  // namespace

run_report argsort_numbers(machine& on, const npy_array& array, npy_array& indices) {
  return with_number(array.type, [&]<class T>() {
    if constexpr (std::same_as<T, bool>)
      return argsort_as<std::uint8_t>(on, array, indices);  // NumPy's false is 0, its true 1
    else if constexpr (std::same_as<T, half>)
      return argsort_as<half>(on, array, indices, std::ranges::less(), rank_of);
    else if constexpr (std::same_as<T, long double>)
      return argsort_as<T>(on, array, indices, nan_last{});
    else if constexpr (requires { typename T::value_type; })
      return argsort_as<complex_number<typename T::value_type>>(on, array, indices,
                                                                complex_order{});
    else
      return argsort_as<T>(on, array, indices);
  });
}

}  // namespace pleat::bench
