// SPDX-License-Identifier: Apache-2.0
#include "sort/digits.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <hwy/aligned_allocator.h>

#include <pleat/oblivious/detail/program/past_caches.hpp>

#include "sort/spread.hpp"

namespace pleat::detail::sorting {

template <sort_word U>
bool copy_sorted_by_digits(const void* keys, std::size_t n, const key_map<U>& map, bucket_kernel by,
                           U* to) {
  if (n > std::numeric_limits<std::uint32_t>::max()) return false;
  const leading_digit<U> digit = leading_digit_of(keys, n, map, 1, false);
  const std::size_t buckets = digit.buckets();
  std::vector<std::uint32_t> counts(2 * buckets);
  count_digits(keys, n, map, digit, counts.data());
  std::size_t crowded = 0;
  std::size_t most = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    if (counts[b] > largest_bucket)
      crowded += counts[b];
    else
      most = std::max<std::size_t>(most, counts[b]);
  }
  if (crowded > n / 4) return false;
  // Counts places from the beginning of a cache line, which may be before `to`.
  const std::size_t lead = reinterpret_cast<std::uintptr_t>(to) / sizeof(U) % line_words<U>;
  U* const line = to - lead;
  std::vector<std::size_t> first(buckets);
  std::size_t place = lead;
  for (std::size_t b = 0; b < buckets; ++b) {
    first[b] = place;
    place += counts[b];
  }
  const auto lines = hwy::AllocateAligned<U>(buckets * line_words<U>);
  if (lines == nullptr) throw std::bad_alloc();
  std::vector<std::uint32_t> filled(buckets);
  spread_words<U>(keys, n, map, digit, {first.data(), filled.data(), lines.get()}, line,
                  passes_caches(2 * n * sizeof(U)));
  const auto room = std::make_unique_for_overwrite<U[]>(most);
  std::size_t begin = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    U* const words = to + begin;
    begin += counts[b];
    const std::span<const U> next(words + counts[b], b + 1 < buckets ? counts[b + 1] : 0);
    if (counts[b] <= largest_bucket)
      sort_bucket<U>(by, words, counts[b], room.get(), words, next);
    else
      sort_by_comparing(words, counts[b]);
  }
  return true;
}

template bool copy_sorted_by_digits(const void*, std::size_t, const key_map<std::uint32_t>&,
                                    bucket_kernel, std::uint32_t*);
template bool copy_sorted_by_digits(const void*, std::size_t, const key_map<std::uint64_t>&,
                                    bucket_kernel, std::uint64_t*);

}  // namespace pleat::detail::sorting
