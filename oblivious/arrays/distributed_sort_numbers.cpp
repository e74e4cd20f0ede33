// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/sort.hpp>

#include "distributed_numbers.hpp"
#include "sort_rows.hpp"
#include "typed_array.hpp"

namespace pleat::arrays {
namespace {

template <class T, class Order = std::ranges::less>
run_report sort_as(machine& on, std::size_t n, const block_reader& read, const block_writer& write,
                   const Order& order = {}) {
  distributed<T> numbers(on, n);
  read(std::as_writable_bytes(numbers.local()), numbers.block().first);
  run_report report = pleat::sort(on, numbers, order);
  write(std::as_bytes(numbers.local()), numbers.block().first);
  return report;
}

run_report sort_halves(machine& on, std::size_t n, const block_reader& read,
                       const block_writer& write) {
  distributed<std::uint16_t> numbers(on, n);
  read(std::as_writable_bytes(numbers.local()), numbers.block().first);
  run_report report;
  {
    const halves_as_integers integers(numbers.local());
    report = pleat::sort(on, numbers);
  }
  write(std::as_bytes(numbers.local()), numbers.block().first);
  return report;
}

}  // namespace

run_report sort_distributed_numbers(machine& on, const number_type& type, std::size_t n,
                                    const block_reader& read, const block_writer& write) {
  return with_number(type, [&]<class T>() {
    if constexpr (std::same_as<T, bool>)
      return sort_as<std::uint8_t>(on, n, read, write);  // NumPy's false is 0, its true 1
    else if constexpr (std::same_as<T, half>)
      return sort_halves(on, n, read, write);
    else if constexpr (std::same_as<T, long double>)
      return sort_as<T>(on, n, read, write, nan_last{});
    else if constexpr (requires { typename T::value_type; })
      return sort_as<complex_number<typename T::value_type>>(on, n, read, write, complex_order{});
    else
      return sort_as<T>(on, n, read, write);
  });
}

}  // namespace pleat::arrays
