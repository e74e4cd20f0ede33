// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pleat/oblivious/detail/sort/keys.hpp>

#include "kernels/choice.hpp"

// The sort of a bucket: words that agree in their leading digit, few enough to stay in a cache.
namespace pleat::detail::sorting {

/// The kernels: Highway's vqsort; or two digits of the words, then what these leave in disorder.
enum class bucket_kernel : std::size_t { vector, digits };

/// Choice of the kernel that sorts buckets of these words here: the works "sort-u32" and
/// "sort-u64".
template <class U> [[nodiscard]] kernels::choice& bucket_choice();

template <class U> [[nodiscard]] bucket_kernel kernel_of_buckets() {
  return static_cast<bucket_kernel>(bucket_choice<U>().taken());
}

/// Larger buckets are not sorted by digits, because their words would leave the cache.
inline constexpr std::size_t largest_bucket = std::size_t{1} << 15;

/// Writes n words to `out`, sorted upwards. `room` holds as many words, `out` may be `words`;
/// `next` will be wanted in cache afterwards. Requires, of digits: at most largest_bucket words.
/// Cost: digits move every word twice.
template <class U>
void sort_bucket(bucket_kernel by, const U* words, std::size_t n, U* room, U* out,
                 std::span<const U> next = {});

/// Do the vectors in use sort? Without any, Highway's sort is a heap sort.
[[nodiscard]] bool vectors_sort();

/// Sorts words upwards in place, however many: in vectors, where the processor has any.
template <class U> void sort_by_comparing(U* words, std::size_t n);

}  // namespace pleat::detail::sorting
