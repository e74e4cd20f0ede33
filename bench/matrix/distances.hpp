// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
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

  [[nodiscard]] std::span<const std::uint64_t> numbers() const;

  /// A cycle through all places, every 128 bytes one, in random order: each holds the next one's
  /// address.
  struct place {
    alignas(128) const place* next;
  };
  [[nodiscard]] std::span<const place> places() const;

 private:
  std::size_t numbers_bytes_, places_bytes_;
  std::byte* memory_;
};

/// Bytes per second that threads pinned to these PUs read together from that memory, each its own
/// part of it from one end to the other, again and again, for 20 ms.
///
/// Requires: at least one PU. Throws: environment_error if the kernel refuses a PU.
[[nodiscard]] double node_bandwidth(std::span<const unsigned> pus, const node_memory& memory);

/// Seconds that a read of that memory takes when its address is known only after the read before
/// it: one thread, pinned to the first of these PUs, follows pointers from a random place for 10
/// ms, while threads on the others read the memory in order as fast as they can. With one PU, of
/// idle memory.
///
/// Requires: at least one PU. Throws: environment_error if the kernel refuses a PU.
[[nodiscard]] double node_latency(std::span<const unsigned> pus, const node_memory& memory,
                                  std::mt19937_64& random);

/// Seconds a cache line takes from one processor to another: half of a round trip of one line that
/// two threads, pinned to these PUs, write in turn; the mean of as many round trips as fit into
/// 0.1 ms.
///
/// The line is a random one of 64 pages that the first thread has touched, so that its memory is on
/// the first one's NUMA node, and another slice of the shared cache keeps it in each sample.
/// Requires: two different PUs. Cost: about 0.3 ms; more where others use the processors.
/// Throws: environment_error if the kernel refuses a PU or memory.
/// Plain loads and stores: a compare-and-swap would be measured too.
[[nodiscard]] double line_latency(unsigned first_pu, unsigned second_pu, std::mt19937_64& random);

}  // namespace pleat::bench
