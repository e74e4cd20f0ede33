// SPDX-License-Identifier: Apache-2.0
#include "settings/choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pleat::preloaded {

namespace {

constexpr std::size_t largest_message = std::size_t{1} << 30;

double blocks_by_cost(const rank_message_cost& cost, operation what, double bytes,
                      std::size_t ranks) noexcept {
  const auto q = static_cast<double>(std::bit_width(ranks - 1));
  const double per_byte = cost.per_byte + (combines(what) ? cost.combining : 0);
  return std::sqrt(std::max(q - 1, 0.0) * per_byte * bytes / cost.start);
}

}  // namespace

bool choice::ours(operation what, std::size_t bytes) const noexcept {
  if (bytes == 0) return false;
  return (sizes[index(what)] >> (std::bit_width(bytes) - 1) & 1U) != 0;
}

std::size_t choice::window(operation what) const noexcept {
  if (const std::uint64_t asked = pipelines[index(what)].window; asked != 0) return asked;
  if (what == operation::bcast || exchanges(what)) return 8;
  return what == operation::reduce ? 4 : 2;
}

std::size_t best_blocks(const choice& by, operation what, message_bytes bytes, std::size_t ranks,
                        std::size_t most) noexcept {
  const std::size_t fewest = (bytes.total - 1) / largest_message + 1;
  std::size_t blocks = by.blocks;
  if (blocks == 0) {
    const double best = by.pipelines[index(what)].blocks *
                        blocks_by_cost(by.cost, what, static_cast<double>(bytes.longest), ranks);
    blocks = static_cast<std::size_t>(std::min(best, static_cast<double>(bytes.longest)) + 0.5);
  }
  return std::clamp<std::size_t>(std::max(blocks, fewest), 1, std::max<std::size_t>(most, 1));
}

std::uint64_t sizes_by_cost(const rank_message_cost& cost, operation what,
                            std::size_t ranks) noexcept {
  if (exchanges(what)) {
    const double most = cost.start / cost.per_byte * static_cast<double>(ranks);
    const double bits = std::clamp(std::ceil(std::log2(most)), 0.0, 63.0);
    return ranks > 3 ? (std::uint64_t{1} << static_cast<unsigned>(bits)) - 1 : 0;
  }
  if (!in_blocks(what)) return 0;
  // In the other operations one rank may have everything.
  const bool equal_parts = what == operation::allgather || what == operation::allreduce ||
                           what == operation::reduce_scatter_block;
  const double share = equal_parts ? 1 / static_cast<double>(ranks) : 1;
  std::uint64_t sizes = 0;
  for (unsigned k = 0; k < 64; ++k) {
    if (blocks_by_cost(cost, what, std::ldexp(share, static_cast<int>(k)), ranks) >= 2)
      sizes |= std::uint64_t{1} << k;
  }
  return sizes;
}

}  // namespace pleat::preloaded
