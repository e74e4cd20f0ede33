// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/oblivious/detail/sort/keys.hpp>

#include "kernels/choice.hpp"

// Sort of a bucket, whose words agree in their leading digit and are few enough to stay in a cache.
namespace pleat::detail::sorting {

/// Kernels: Highway's vqsort, or a radix sort by two digits that is finished by comparing.
enum class bucket_kernel : std::size_t { vector, digits };

/// Choice of the kernel that sorts buckets of words U: the work "sort-u32" or "sort-u64" of
/// kernel_choices().
template <class U> [[nodiscard]] kernels::choice& bucket_choice();

template <class U> [[nodiscard]] bucket_kernel kernel_of_buckets() {
  return static_cast<bucket_kernel>(bucket_choice<U>().taken());
}

/// Number of words up to which a bucket is sorted by digits; those of a larger one leave the cache.
inline constexpr std::size_t largest_bucket = std::size_t{1} << 15;

/// Writes n words to `out`, sorted upwards. `room` holds as many words; `out` may be `words`. The
/// kernel may prefetch `next`. Requires: for digits, n ≤ largest_bucket. Cost: digits move every
/// word twice.
template <class U>
void sort_bucket(bucket_kernel by, const U* words, std::size_t n, U* room, U* out,
                 std::span<const U> next = {});

/// Tells whether Highway's sort uses vectors here; without vectors it is a heap sort.
[[nodiscard]] bool vectors_sort();

/// Sorts any number of words upwards, in place; with vectors, if the processor has any.
template <class U> void sort_by_comparing(U* words, std::size_t n);

/// Least number of words that are worth spreading over buckets.
inline constexpr std::size_t least_spread = std::size_t{1} << 14;

/// Writes the words of n keys to `to`, sorted. They are spread over buckets by a leading digit, and
/// every bucket is sorted in cache by that kernel. Returns false, having written nothing, if the
/// keys crowd in so few buckets that comparing is faster, as they do if n > 2^28. Allocates at most
/// as much as the keys take, and less than 2 MiB. For words of 32 and 64 bits.
/// Requires: n ≥ 1; `to` does not overlap the keys. Cost: two readings of the keys, two writings
/// and a reading of `to`.
template <sort_word U>
[[nodiscard]] bool copy_sorted_by_digits(const void* keys, std::size_t n, const key_map<U>& map,
                                         bucket_kernel by, U* to);

}  // namespace pleat::detail::sorting
