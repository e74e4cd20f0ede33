// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <cstdint>
#include <omp.h>
#include <span>
#include <type_traits>
#include <vector>

#include "radix_passes.hpp"
#include "sort_rivals.hpp"

namespace pleat::bench {
namespace {

/// Maps a key to an unsigned integer, so that these compare as the keys do.
template <class T>
requires std::is_arithmetic_v<T>
auto word_of_key(T key) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const U bits = std::bit_cast<U>(key);
    const U sign = U{1} << (8 * sizeof(U) - 1);
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

/// Sorts in two passes. All threads count the leading bits of the words and move the records to
/// buckets in other memory; then each thread takes one bucket after the other and sorts it back, in
/// cache.
template <class R, class Word>
void sort_records(std::span<R> records, unsigned threads, const Word& word) {
  constexpr int bits = 8 * sizeof(decltype(word(records[0])));
  constexpr int below = bits - radix::leading_bits;
  constexpr std::size_t values = std::size_t{1} << radix::leading_bits;
  const std::size_t n = records.size();
  const auto digit = [&](const R& r) { return static_cast<std::size_t>(word(r) >> below); };
  static radix::kept_room kept;
  R* const moved = static_cast<R*>(kept.of(n * sizeof(R)));
  std::vector<std::vector<std::size_t>> next(threads, std::vector<std::size_t>(values));
  std::vector<std::size_t> begins(values + 1);
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    const auto team = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t first = n * rank / team;
    const std::size_t count = n * (rank + 1) / team - first;
    std::vector<std::size_t> counts(values);
    for (std::size_t i = first; i < first + count; ++i) ++counts[digit(records[i])];
    next[rank] = counts;
#pragma omp barrier
#pragma omp single
    for (std::size_t d = 0, place = 0; d <= values; ++d) {
      begins[d] = place;
      if (d == values) break;
      for (std::size_t r = 0; r < team; ++r) {
        const std::size_t of_rank = next[r][d];
        next[r][d] = place;
        place += of_rank;
      }
    }
    radix::scatter(&records[first], count, digit, next[rank], moved);
#pragma omp barrier
    std::vector<R> room(radix::in_cache / sizeof(R));
#pragma omp for schedule(dynamic, 4)
    for (std::size_t d = 0; d < values; ++d) {
      const std::size_t many = begins[d + 1] - begins[d];
      if (many != 0)
        radix::sort_bucket(moved + begins[d], many, below, word, room.data(), &records[begins[d]]);
    }
  }
}

}  // namespace

template <class T, class Order> void radix_sort(std::span<T> keys, unsigned threads, Order order) {
  if constexpr (std::is_same_v<Order, key_order<T>>) {
    static_cast<void>(order);
    if (keys.empty()) return;
    sort_records(keys, threads, [](const T& key) { return word_of_key(key); });
  } else {  // T is an index type: each index is sorted together with the word of its key
    using word = decltype(word_of_key(order.keys[0]));
    struct record {
      word key;
      key_index index;
    };
    static radix::kept_room kept;
    const std::span<record> records(static_cast<record*>(kept.of(keys.size() * sizeof(record))),
                                    keys.size());
#pragma omp parallel for num_threads(static_cast <int>(threads))
    for (std::size_t i = 0; i < keys.size(); ++i)
      records[i] = {word_of_key(order.keys[keys[i]]), keys[i]};
    if (!records.empty()) sort_records(records, threads, [](const record& r) { return r.key; });
#pragma omp parallel for num_threads(static_cast <int>(threads))
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = records[i].index;
  }
}

#define PLEAT_RADIX_SORTS(T)    \
  PLEAT_SORT_OF(radix_sort, T); \
  PLEAT_ARGSORT_OF(radix_sort, T)
PLEAT_RADIX_SORTS(std::uint64_t);
PLEAT_RADIX_SORTS(double);
PLEAT_RADIX_SORTS(std::uint32_t);
PLEAT_RADIX_SORTS(std::int32_t);
PLEAT_RADIX_SORTS(float);
PLEAT_RADIX_SORTS(key_value);
PLEAT_SORT_OF(radix_sort, std::int64_t);
PLEAT_SORT_OF(radix_sort, pair32);
PLEAT_SORT_OF(radix_sort, edge);
PLEAT_SORT_OF(radix_sort, record64);

}  // namespace pleat::bench
