// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pleat/runtime/topology.hpp>

namespace pleat::bench {

/// Bytes a node's memory is read through: so many that caches of `cache_bytes` hold little of it,
/// and at most an eighth of the node's memory.
[[nodiscard]] std::size_t stream_bytes(std::size_t cache_bytes, std::uint64_t node_bytes);

/// Memory on one NUMA node: numbers to read in order, and pointers to follow at random.
///
/// All pages are touched, and seen to be on that node if the machine has several. Constant from
/// then on, so any threads may read it.
class node_memory {
 public:
  /// `numbers_bytes` of numbers, half of that of pointers.
  /// Throws: environment_error if the node has no room or the kernel refuses to put pages there.
  node_memory(const topology& on, unsigned node, std::size_t numbers_bytes, std::uint64_t seed);
  node_memory(const node_memory&) = delete;
  node_memory& operator=(const node_memory&) = delete;
  ~node_memory();

  [[nodiscard]] unsigned node() const { return node_; }
  [[nodiscard]] std::span<const std::uint64_t> numbers() const;

  /// A cycle through all places, every 128 bytes one, in random order: each holds the next one's
  /// address.
  struct place {
    alignas(128) const place* next;
  };
  [[nodiscard]] std::span<const place> places() const;

 private:
  unsigned node_;
  std::size_t numbers_bytes_, places_bytes_;
  std::byte* memory_;
};

}  // namespace pleat::bench
