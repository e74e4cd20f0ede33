// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include <boost/sort/pdqsort/pdqsort.hpp>
#include <hwy/aligned_allocator.h>
#include <hwy/contrib/sort/vqsort.h>

#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>

#include "sort/bucket.hpp"
#include "sort/spread.hpp"

namespace pleat::detail::sorting {

template <class U> void sort_few_keys(void* keys, std::size_t n, const key_map<U>& map) noexcept {
  std::array<U, few_keys> words;
  std::array<U, few_keys> other;
  std::memcpy(words.data(), keys, n * sizeof(U));
  if (!map.identity())
    for (std::size_t i = 0; i < n; ++i) words[i] = map.to_word(words[i]);
  sort_small(words.data(), other.data(), n, true, word_less());
  if (!map.identity())
    for (std::size_t i = 0; i < n; ++i) other[i] = map.from_word(other[i]);
  std::memcpy(keys, other.data(), n * sizeof(U));
}

template void sort_few_keys(void*, std::size_t, const key_map<std::uint8_t>&) noexcept;
template void sort_few_keys(void*, std::size_t, const key_map<std::uint16_t>&) noexcept;
template void sort_few_keys(void*, std::size_t, const key_map<std::uint32_t>&) noexcept;
template void sort_few_keys(void*, std::size_t, const key_map<std::uint64_t>&) noexcept;

template <sort_word U>
bool copy_sorted_by_digits(const void* keys, std::size_t n, const key_map<U>& map, bucket_kernel by,
                           U* to) {
  if (n > std::numeric_limits<std::uint32_t>::max()) return false;
  const leading_digit<U> digit = leading_digit_of(keys, n, map, 1, false);
  const std::size_t buckets = digit.buckets();
  std::vector<std::uint32_t> counts(2 * buckets);
  count_digits(keys, n, map, digit, counts.data());
  std::size_t crowded = 0, most = 0;
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

template decltype(copy_sorted_by_digits<std::uint32_t>) copy_sorted_by_digits<std::uint32_t>;
template decltype(copy_sorted_by_digits<std::uint64_t>) copy_sorted_by_digits<std::uint64_t>;

namespace {

constexpr std::size_t partitioned = 4096;              // from here on the copy partitions
constexpr std::size_t counted = std::size_t{1} << 17;  // from here on 16-bit keys are counted

/// Tells whether n words of this size are sorted by counting how often each value occurs.
template <sort_word U> bool counts(std::size_t n) {
  return (sizeof(U) == 1 && n > few_keys) || (sizeof(U) == 2 && n >= counted);
}

/// Sorts by counting; `to` may be `keys`. With `as_keys` the keys themselves are written, else
/// their words.
template <sort_word U>
void sort_by_counting(const void* keys, std::size_t n, const key_map<U>& map, bool as_keys,
                      void* to) {
  if constexpr (sizeof(U) <= 2) {
    constexpr std::size_t values = std::size_t{1} << (8 * sizeof(U));
    constexpr std::size_t tables = sizeof(U) == 1 ? 4 : 1;  // equal neighbours do not wait
    std::vector<std::size_t> count(tables * values);
    for (std::size_t i = 0; i < n; ++i)
      ++count[i % tables * values + map.to_word(load_bits<U>(keys, i))];
    std::size_t place = 0;
    for (std::size_t v = 0; v < values; ++v) {
      std::size_t many = 0;
      for (std::size_t t = 0; t < tables; ++t) many += count[t * values + v];
      const auto word = static_cast<U>(v);
      const U bits = as_keys ? map.from_word(word) : word;
      for (std::size_t i = 0; i < many; ++i) store_bits(bits, to, place++);
    }
  } else {
    static_cast<void>(keys), static_cast<void>(n), static_cast<void>(map);
    static_cast<void>(as_keys), static_cast<void>(to);
  }
}

/// Sorts integers in place, in either direction.
template <class Integer> void sort_integers(Integer* keys, std::size_t n, bool descending) {
  if (n <= few_keys) {
    sort_few_keys(keys, n, key_map_of<Integer>(descending));
  } else if constexpr (sizeof(Integer) == 1) {
    static_cast<void>(descending);  // more than a few are counted
  } else if (!vectors_sort()) {
    if (descending)
      boost::sort::pdqsort_branchless(keys, keys + n, std::greater<>());
    else
      boost::sort::pdqsort_branchless(keys, keys + n, std::less<>());
  } else if (descending) {
    hwy::Sorter()(keys, n, hwy::SortDescending());
  } else {
    hwy::Sorter()(keys, n, hwy::SortAscending());
  }
}

/// Sorts floating-point numbers in place. They are sorted as signed integers first, which leaves
/// the negative ones reversed and the NaNs of one sign in the wrong place.
template <sort_word U> void sort_floating(void* keys, std::size_t n, bool descending) {
  using signed_word = std::make_signed_t<U>;
  auto* const first = static_cast<signed_word*>(keys);
  auto* const last = first + n;
  using floating = std::conditional_t<sizeof(U) == 8, double, float>;
  const auto infinity = std::bit_cast<signed_word>(std::numeric_limits<floating>::infinity());
  const auto minus_infinity =
      std::bit_cast<signed_word>(-std::numeric_limits<floating>::infinity());
  sort_integers(first, n, descending);
  if (descending) {  // NaNs > 0, then numbers > 0, NaNs < 0, numbers < 0 from -infinity on
    auto* const negative = std::partition_point(first, last, [](auto x) { return x >= 0; });
    auto* const number =
        std::partition_point(first, negative, [=](auto x) { return x > infinity; });
    std::reverse(negative, last);
    std::rotate(first, number, last);
  } else {  // numbers < 0 from -0.0 on, NaNs < 0, then numbers > 0, NaNs > 0
    auto* const positive = std::partition_point(first, last, [](auto x) { return x < 0; });
    auto* const nan =
        std::partition_point(first, positive, [=](auto x) { return x <= minus_infinity; });
    std::reverse(first, nan);
    std::reverse(nan, positive);
    std::rotate(nan, positive, last);
  }
}

template <sort_word U> U sampled_pivot(const void* keys, std::size_t n, const key_map<U>& map) {
  std::array<U, 63> sample;
  std::uint64_t random = n;  // fixed by n: equal inputs take equal paths
  for (auto& word : sample) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    word = map.to_word(load_bits<U>(keys, static_cast<std::size_t>((random >> 11) % n)));
  }
  std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
  return sample[sample.size() / 2];
}

/// Copies n keys as words if they are sorted in either direction; looks little further than the
/// first pair that is not.
template <sort_word U>
bool copy_if_sorted(const void* keys, std::size_t n, const key_map<U>& map, U* to) {
  const auto word = [&](std::size_t i) { return map.to_word(load_bits<U>(keys, i)); };
  if (keys_ascend(keys, n, map)) {
    for (std::size_t i = 0; i < n; ++i) to[i] = word(i);
    return true;
  }
  std::size_t descending = 1;
  while (descending < n && word(descending - 1) >= word(descending)) ++descending;
  if (descending < n) return false;
  for (std::size_t i = 0; i < n; ++i) to[n - 1 - i] = word(i);
  return true;
}

template <sort_word U>
void copy_and_sort(const void* keys, std::size_t n, const key_map<U>& map, U* to) {
  if (n == 0) return;
  if (counts<U>(n)) return sort_by_counting(keys, n, map, false, to);
  if (n < partitioned) {
    for (std::size_t i = 0; i < n; ++i) to[i] = map.to_word(load_bits<U>(keys, i));
    return sort_integers(to, n, false);
  }
  if (copy_if_sorted(keys, n, map, to)) return;
  if constexpr (sizeof(U) >= 4) {
    if (n >= least_spread) {
      const bucket_kernel by = kernel_of_buckets<U>();
      if (by == bucket_kernel::digits && copy_sorted_by_digits(keys, n, map, by, to)) return;
    }
  }
  if constexpr (sizeof(U) >= 2) {  // others are counted
    const std::size_t low = copy_partitioned(keys, n, map, sampled_pivot(keys, n, map), to);
    sort_integers(to, low, false);
    sort_integers(to + low, n - low, false);
  }
}

template <sort_word U> void sort_mapped(void* keys, std::size_t n, const key_map<U>& map) {
  if (n <= few_keys) return sort_few_keys(keys, n, map);
  if (counts<U>(n)) return sort_by_counting(keys, n, map, true, keys);
  if (map.floating) {
    if constexpr (sizeof(U) >= 4) sort_floating<U>(keys, n, map.flip != 0);
    return;
  }
  const bool descending = (map.flip & 1) != 0;  // the lowest bit is flipped only to reverse
  if (((map.flip & key_map<U>::sign) != 0) != descending)
    sort_integers(static_cast<std::make_signed_t<U>*>(keys), n, descending);
  else
    sort_integers(static_cast<U*>(keys), n, descending);
}

}  // namespace

template <class U> void sort_words(U* words, std::size_t n) {
  sort_mapped<U>(words, n, key_map<U>());
}
template <class U> void sort_keys(void* keys, std::size_t n, const key_map<U>& map) {
  sort_mapped<U>(keys, n, map);
}
template <class U> void copy_sorted(const void* keys, std::size_t n, const key_map<U>& map, U* to) {
  copy_and_sort<U>(keys, n, map, to);
}

#define PLEAT_LEAF(U)                                             \
  template void sort_words(U*, std::size_t);                      \
  template void sort_keys(void*, std::size_t, const key_map<U>&); \
  template void copy_sorted(const void*, std::size_t, const key_map<U>&, U*);
PLEAT_LEAF(std::uint8_t)
PLEAT_LEAF(std::uint16_t)
PLEAT_LEAF(std::uint32_t)
PLEAT_LEAF(std::uint64_t)
#undef PLEAT_LEAF

}  // namespace pleat::detail::sorting
