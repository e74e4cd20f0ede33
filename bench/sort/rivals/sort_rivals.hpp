// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

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

}  // namespace pleat::bench

/// Instantiates a rival's sort of keys; the second macro instantiates its argsort.
#define PLEAT_SORT_OF(sort, T) \
  template void sort<T, key_order<T>>(std::span<T>, unsigned, key_order<T>)
#define PLEAT_ARGSORT_OF(sort, T) \
  template void sort<key_index, by_key_at<T>>(std::span<key_index>, unsigned, by_key_at<T>)

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
