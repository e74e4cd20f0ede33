// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/keys.hpp>

#include "sort/bucket.hpp"

namespace pleat::detail::sorting {

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
