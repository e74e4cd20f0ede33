// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sort_keys.hpp"

namespace pleat::bench {

/// The same work done by others: sorts in place by key_order<T>, with that many threads. Each is
/// one file of this folder, instantiated for every type of key_types; which are linked, the build
/// decides (rivals.hpp).
template <class T> void serial_sort(std::span<T> keys, unsigned threads);  // std::sort, one thread
template <class T> void serial_stable_sort(std::span<T> keys, unsigned threads);
template <class T> void ips4o_sort(std::span<T> keys, unsigned threads);
template <class T> void tbb_sort(std::span<T> keys, unsigned threads);
template <class T> void gnu_parallel_sort(std::span<T> keys, unsigned threads);
template <class T> void gnu_parallel_stable_sort(std::span<T> keys, unsigned threads);
template <class T> void boost_sort(std::span<T> keys, unsigned threads);  // block_indirect_sort

}  // namespace pleat::bench

/// Ends the file of a rival: its sort for every type that is measured.
#define PLEAT_FOR_ALL_KEY_TYPES(sort)                                    \
  template void sort<std::uint64_t>(std::span<std::uint64_t>, unsigned); \
  template void sort<double>(std::span<double>, unsigned);               \
  template void sort<std::uint32_t>(std::span<std::uint32_t>, unsigned); \
  template void sort<std::int32_t>(std::span<std::int32_t>, unsigned);   \
  template void sort<float>(std::span<float>, unsigned);                 \
  template void sort<key_value>(std::span<key_value>, unsigned);         \
  template void sort<u64_pair>(std::span<u64_pair>, unsigned);           \
  template void sort<std::string>(std::span<std::string>, unsigned)
