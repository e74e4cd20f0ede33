// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "sort/sort_keys.hpp"

namespace pleat::bench {

/// Rivals of Pleat's sorts. Each sorts in place with `threads` threads: keys by key_order<T>, or
/// indices by by_key_at<T>. Each rival is one file of this folder, instantiated for every type of
/// sort_types. The build decides which rivals are linked (rivals.hpp).
template <class T, class Order>  // std::sort, one thread
void serial_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order>
void serial_stable_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order> void ips4o_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order> void tbb_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order>
void gnu_parallel_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order>
void gnu_parallel_stable_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order>  // our own, with OpenMP; for numbers and records with such a key
void radix_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order>  // block_indirect_sort
void boost_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order>  // for the types of radix_sort, as the next
void ips2ra_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order>
void dovetail_sort(std::span<T> keys, unsigned threads, Order order);
template <class T, class Order>  // x86-simd-sort, for numbers of 4 and 8 bytes
void x86_simd_sort(std::span<T> keys, unsigned threads, Order order);

/// Maps a key to an unsigned integer, so that these compare as the keys do.
template <class T>
requires std::is_arithmetic_v<T>
auto word_of_key(T key) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const U bits = std::bit_cast<U>(key), sign = U{1} << (8 * sizeof(U) - 1);
    return (bits & sign) != 0 ? static_cast<U>(~bits) : static_cast<U>(bits | sign);
  } else if constexpr (std::is_signed_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<U>(static_cast<U>(key) ^ (U{1} << (8 * sizeof(U) - 1)));
  } else {
    return key;
  }
}
template <class T>
requires is_record<T>
auto word_of_key(const T& record) { return word_of_key(record.key); }

}  // namespace pleat::bench

/// Instantiates a rival's sort of keys; the second macro instantiates its argsort.
#define PLEAT_SORT_OF(sort, T) \
  template void sort<T, key_order<T>>(std::span<T>, unsigned, key_order<T>)
#define PLEAT_ARGSORT_OF(sort, T) \
  template void sort<key_index, by_key_at<T>>(std::span<key_index>, unsigned, by_key_at<T>)

/// Instantiates `sort` by the macro `what` for numbers of 4 and 8 bytes, and for records with such
/// a key.
#define PLEAT_FOR_ALL_NUMBER_TYPES(what, sort) \
  what(sort, std::uint64_t);                   \
  what(sort, double);                          \
  what(sort, std::uint32_t);                   \
  what(sort, std::int32_t);                    \
  what(sort, float);                           \
  what(sort, std::int64_t)
#define PLEAT_FOR_ALL_RECORD_TYPES(what, sort) \
  what(sort, key_value);                       \
  what(sort, pair32);                          \
  what(sort, edge);                            \
  what(sort, record64)

/// Instantiates `sort` by the macro `what` for the types that are also sorted stably and by index.
#define PLEAT_FOR_ALL_KEY_TYPES(what, sort) \
  what(sort, std::uint64_t);                \
  what(sort, double);                       \
  what(sort, std::uint32_t);                \
  what(sort, std::int32_t);                 \
  what(sort, float);                        \
  what(sort, key_value);                    \
  what(sort, u64_pair);                     \
  what(sort, std::string)

/// Instantiates `sort` by the macro `what` for sort_types. Stands at the end of a rival's file.
#define PLEAT_FOR_ALL_SORT_TYPES(what, sort) \
  PLEAT_FOR_ALL_KEY_TYPES(what, sort);       \
  what(sort, std::int64_t);                  \
  what(sort, std::uint16_t);                 \
  what(sort, std::uint8_t);                  \
  what(sort, pair32);                        \
  what(sort, edge);                          \
  what(sort, record64)
