// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/sort.hpp>

#include "distributed_numbers.hpp"
#include "sort_rows.hpp"
#include "typed_array.hpp"

namespace pleat::arrays {

run_report sort_distributed_numbers(machine& on, const number_type& type, std::size_t n,
                                    const block_reader& read, const block_writer& write) {
  return with_sorted(type, [&]<class T, class Order>(Order order) {
    constexpr bool is_half = std::same_as<T, half>;
    distributed<std::conditional_t<is_half, std::uint16_t, T>> numbers(on, n);
    read(std::as_writable_bytes(numbers.local()), numbers.block().first);
    std::optional<halves_as_integers> integers;
    if constexpr (is_half) integers.emplace(numbers.local());
    run_report report = pleat::sort(on, numbers, order);
    integers.reset();
    write(std::as_bytes(numbers.local()), numbers.block().first);
    return report;
  });
}

}  // namespace pleat::arrays
