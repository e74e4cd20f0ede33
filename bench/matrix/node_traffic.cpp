// SPDX-License-Identifier: Apache-2.0
#include "node_traffic.hpp"

#include <array>

namespace pleat::bench {

// Independent sums: a single one would wait for each addition instead of for the memory.
std::uint64_t read_in_order(std::span<const std::uint64_t> numbers) {
  constexpr std::size_t lanes = 16;
  std::array<std::uint64_t, lanes> sums{};
  std::size_t at = 0;
  for (; at + lanes <= numbers.size(); at += lanes)
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += numbers[at + k];
  std::uint64_t sum = 0;
  for (; at < numbers.size(); ++at) sum += numbers[at];
  for (const std::uint64_t one : sums) sum += one;
  return sum;
}

const node_memory::place* follow(const node_memory::place* from, std::size_t steps) {
  for (std::size_t k = 0; k < steps; ++k) from = from->next;
  return from;
}

}  // namespace pleat::bench
