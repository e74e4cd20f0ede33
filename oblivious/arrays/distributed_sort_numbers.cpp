// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/sort.hpp>

#include "distributed_numbers.hpp"
#include "sort_rows.hpp"
#include "typed_array.hpp"

namespace pleat::arrays {
namespace {

constexpr std::uint64_t top = std::uint64_t{1} << 63U;

// Keys in whose order numbers are sorted, with their indices: words instead of ten types, one type
// of complex numbers instead of two.
constexpr auto key_of = []<class T>(T x) {
  if constexpr (std::same_as<T, half>) {
    return static_cast<std::uint64_t>(half_rank(x) + 0x7fff);
  } else if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    if (std::isnan(x)) return std::numeric_limits<std::uint64_t>::max();
    const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : static_cast<double>(x));
    return (bits & top) != 0 ? ~bits : bits | top;
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<std::uint64_t>(std::int64_t{x}) ^ top;
  } else if constexpr (std::unsigned_integral<T>) {
    return std::uint64_t{x};
  } else if constexpr (std::same_as<T, complex_number<float>>) {
    return complex_number<double>{x.real, x.imaginary};
  } else {
    return x;
  }
};

// Reads a block of T's into the end of the keys' memory, and makes keys of them, from the front on:
// a key never covers a number that has not been read.
template <class T> auto read_keys(machine& on, std::size_t n, const block_reader& read) {
  using key = decltype(key_of(T()));
  static_assert(sizeof(T) <= sizeof(key));
  distributed<key> keys(on, n);
  const std::span<key> block = keys.local();
  const std::span<std::byte> numbers = std::as_writable_bytes(block).last(block.size() * sizeof(T));
  read(numbers, keys.block().first);
  for (std::size_t i = 0; i < block.size(); ++i) {
    T number;
    std::memcpy(static_cast<void*>(&number), numbers.data() + i * sizeof(T), sizeof(T));
    block[i] = key_of(number);
  }
  return keys;
}

}  // namespace

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

void argsort_distributed_numbers(machine& on, const number_type& type, std::size_t n,
                                 const block_reader& read, const block_writer& write) {
  with_sorted(type, [&]<class T, class Order>(Order order) {
    const auto keys = read_keys<T>(on, n, read);
    const distributed<std::uint64_t> indices = pleat::argsort(on, keys, order);
    write(std::as_bytes(indices.local()), indices.block().first);
  });
}

}  // namespace pleat::arrays
