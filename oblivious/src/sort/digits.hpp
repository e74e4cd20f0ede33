// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/keys.hpp>

namespace pleat::detail::sorting {

/// Is sorting n words by digits faster than in this processor's vectors? Of 512 bits, they win.
[[nodiscard]] bool digits_win(std::size_t n);

/// Writes the words of n keys to `to`, sorted: spread over buckets by a leading digit, every bucket
/// sorted in cache by two more. Returns false, having written nothing, if the keys crowd in so few
/// buckets that comparing is faster: for one, if n is beyond 2^28. Allocates at most as much as the
/// keys take, and less than 2 MiB.
/// Requires: n ≥ 1; `to` does not overlap the keys. Cost: two readings of the keys, two writings
/// and a reading of `to`.
[[nodiscard]] bool copy_sorted_by_digits(const void* keys, std::size_t n,
                                         const key_map<std::uint64_t>& map, std::uint64_t* to);

}  // namespace pleat::detail::sorting
