// SPDX-License-Identifier: Apache-2.0
#include "node_memory.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/placement.hpp>

#include "memory/memory_binding.hpp"
#include "memory/pages.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) {
  return std::max(bytes, huge_page) / huge_page * huge_page;
}

// Sattolo, "An algorithm to generate a random cyclic permutation", 1986.
void link_at_random(std::span<node_memory::place> places, std::uint64_t seed) {
  std::vector<std::uint32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(seed);
  for (std::size_t k = order.size(); k-- > 1;) std::swap(order[k], order[random() % k]);
  for (std::size_t k = 0; k < places.size(); ++k) places[k].next = &places[order[k]];
}

void require_on_node(std::span<const std::byte> memory, unsigned node) {
  const page_counts pages = memory_of(memory);
  const auto there = pages.on_node.find(node);
  if (there != pages.on_node.end() && there->second == pages.present() && pages.absent == 0) return;
  throw environment_error("memory for NUMA node " + std::to_string(node) +
                          " is elsewhere: " + to_string(pages) +
                          "; free memory there, or turn automatic balancing off (echo 0 > "
                          "/proc/sys/kernel/numa_balancing)");
}

}  // namespace

std::size_t stream_bytes(std::size_t cache_bytes, std::uint64_t node_bytes) {
  constexpr std::size_t least = std::size_t{64} << 20, most = std::size_t{1} << 30;
  const std::size_t wanted = std::clamp(4 * cache_bytes, least, most);
  return whole_pages(node_bytes == 0 ? wanted : std::min<std::uint64_t>(wanted, node_bytes / 8));
}

node_memory::node_memory(const topology& on, unsigned node, std::size_t numbers_bytes,
                         std::uint64_t seed)
    : node_(node),
      numbers_bytes_(whole_pages(numbers_bytes)),
      places_bytes_(whole_pages(numbers_bytes / 2)) {
  const bool choice = on.memory_nodes().size() > 1;
  std::optional<detail::page_placement_scope> there;
  if (choice) {
    const memory_policy policy{.where = memory_policy::nodes::bind, .node = node};
    const auto placed = detail::page_placement::of_worker(policy, on, {}, 0);
    detail::require_free_memory(std::span(&placed, 1), numbers_bytes_ + places_bytes_, policy.size);
    there.emplace(placed);
  }
  memory_ = detail::map_pages(numbers_bytes_ + places_bytes_);
  try {
    const std::span all(memory_, numbers_bytes_ + places_bytes_);
    const std::span values(reinterpret_cast<std::uint64_t*>(memory_),
                           numbers_bytes_ / sizeof(std::uint64_t));
    std::iota(values.begin(), values.end(), std::uint64_t{1});
    link_at_random(
        {reinterpret_cast<place*>(memory_ + numbers_bytes_), places_bytes_ / sizeof(place)}, seed);
    if (choice) require_on_node(all, node);
  } catch (...) {
    detail::unmap_pages(memory_, numbers_bytes_ + places_bytes_);
    throw;
  }
}

node_memory::~node_memory() { detail::unmap_pages(memory_, numbers_bytes_ + places_bytes_); }

std::span<const std::uint64_t> node_memory::numbers() const {
  return {reinterpret_cast<const std::uint64_t*>(memory_), numbers_bytes_ / sizeof(std::uint64_t)};
}

std::span<const node_memory::place> node_memory::places() const {
  return {reinterpret_cast<const place*>(memory_ + numbers_bytes_), places_bytes_ / sizeof(place)};
}

}  // namespace pleat::bench
