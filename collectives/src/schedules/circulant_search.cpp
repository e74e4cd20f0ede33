// SPDX-License-Identifier: Apache-2.0
#include "circulant_search.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace pleat::detail {
namespace {

// The set of all skip indices j with skip[j] ≤ distance. As skip[j] = ⌈p / 2^(q − j)⌉, that is
// p ≤ distance · 2^(q − j): the width of the distance tells j but for one.
std::uint32_t skips_within(std::uint32_t distance, std::uint32_t p, unsigned q) noexcept {
  if (distance >= p) return static_cast<std::uint32_t>((std::uint64_t{2} << q) - 1);
  const auto width = static_cast<unsigned>(std::bit_width(distance));
  const bool one_more = std::uint64_t{distance} << (q - width) >= p;
  return static_cast<std::uint32_t>((std::uint64_t{one_more ? 2u : 1u} << width) - 1);
}

}  // namespace

// A depth-first walk over sums of descending skips, the largest first. `path` holds the skips
// taken, `distance` is p + rank − their sum. Where the way cannot go on, its last skip is accepted
// for round k, if without it the distance is at least skip[k + 1].
void search_receive_schedule(std::span<const std::uint32_t> skip, unsigned q, std::uint32_t rank,
                             unsigned baseblock, unsigned last, std::int8_t* blocks) noexcept {
  const std::uint32_t p = skip[q];
  assert(rank < p && last < q);
  std::uint32_t available =
      static_cast<std::uint32_t>((std::uint64_t{2} << q) - 1) & ~(std::uint32_t{1} << baseblock);
  std::uint32_t candidates = available;
  std::uint32_t path = 0;
  std::uint32_t distance = p + rank;
  std::uint32_t least = skip[0];  // what a distance must keep: skip[k], and more than the last one
  unsigned k = 0;
  for (;;) {
    const std::uint32_t room = distance > least ? distance - least : 0;
    candidates &= skips_within(room, p, q);
    if (candidates != 0) {
      const auto taken = static_cast<unsigned>(std::bit_width(candidates)) - 1;
      distance -= skip[taken];
      path |= std::uint32_t{1} << taken;
      if (distance >= skip[k + 1]) continue;
    }
    do {
      if (path == 0) return;
      const auto dropped = static_cast<unsigned>(std::countr_zero(path));
      const std::uint32_t shorter = distance;
      path &= path - 1;
      distance += skip[dropped];
      if (distance < skip[k + 1]) continue;
      blocks[k] = static_cast<std::int8_t>(dropped);
      if (k == last) return;
      ++k;
      least = std::max(skip[k], shorter + 1);
      available &= ~(std::uint32_t{1} << dropped);
      candidates = available & ((std::uint32_t{1} << dropped) - 1);
    } while (distance < skip[k + 1]);
  }
}

}  // namespace pleat::detail
