// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/distributed.hpp>

#include "distributed_numbers.hpp"
#include "sort_rows.hpp"
#include "typed_array.hpp"

namespace pleat::arrays {
namespace {

constexpr std::uint64_t top = std::uint64_t{1} << 63U;

// Words in whose order numbers are sorted, with their indices: one type of key instead of ten.
constexpr auto word_of = []<class T>(T x) -> std::uint64_t {
  if constexpr (std::same_as<T, half>) {
    return static_cast<std::uint64_t>(half_rank(x) + 0x7fff);
  } else if constexpr (std::floating_point<T>) {
    if (std::isnan(x)) return std::numeric_limits<std::uint64_t>::max();
    const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : static_cast<double>(x));
    return (bits & top) != 0 ? ~bits : bits | top;
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<std::uint64_t>(std::int64_t{x}) ^ top;
  } else {
    return x;
  }
};

// Reads a block of T's into the end of the keys' memory, and makes keys of them, from the front on:
// a key never covers a number that has not been read.
template <class T, class Key, class Make>
distributed<Key> read_keys(machine& on, std::size_t n, const block_reader& read, const Make& make) {
  static_assert(sizeof(T) <= sizeof(Key));
  distributed<Key> keys(on, n);
  const std::span<Key> block = keys.local();
  const std::span<std::byte> numbers = std::as_writable_bytes(block).last(block.size() * sizeof(T));
  read(numbers, keys.block().first);
  for (std::size_t i = 0; i < block.size(); ++i) {
    T number;
    std::memcpy(static_cast<void*>(&number), numbers.data() + i * sizeof(T), sizeof(T));
    block[i] = make(number);
  }
  return keys;
}

template <class T, class Key, class Make, class Order = std::ranges::less>
void argsort_as(machine& on, std::size_t n, const block_reader& read, const block_writer& write,
                const Make& make, const Order& order = {}) {
  const distributed<Key> keys = read_keys<T, Key>(on, n, read, make);
  const distributed<std::uint64_t> indices = pleat::argsort(on, keys, order);
  write(std::as_bytes(indices.local()), indices.block().first);
}

template <class T> complex_number<double> widened(complex_number<T> z) {
  return {z.real, z.imaginary};
}

}  // namespace

void argsort_distributed_numbers(machine& on, const number_type& type, std::size_t n,
                                 const block_reader& read, const block_writer& write) {
  with_number(type, [&]<class T>() {
    if constexpr (std::same_as<T, bool>) {
      argsort_as<std::uint8_t, std::uint64_t>(on, n, read, write, word_of);  // NumPy's false is 0
    } else if constexpr (std::same_as<T, long double>) {
      argsort_as<T, T>(on, n, read, write, std::identity(), nan_last{});
    } else if constexpr (std::same_as<T, std::complex<long double>>) {
      using key = complex_number<long double>;
      argsort_as<key, key>(on, n, read, write, std::identity(), complex_order{});
    } else if constexpr (requires { typename T::value_type; }) {
      using number = complex_number<typename T::value_type>;
      argsort_as<number, complex_number<double>>(on, n, read, write,
                                                 widened<typename T::value_type>, complex_order{});
    } else {
      argsort_as<T, std::uint64_t>(on, n, read, write, word_of);
    }
  });
}

}  // namespace pleat::arrays
