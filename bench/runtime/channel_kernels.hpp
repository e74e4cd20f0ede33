// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace pleat::bench {

/// Kind of the ring that a sample is taken of: ours, or the rival of rivals/cached_ring.hpp. The
/// code around the two is one template, so nothing but the ring differs.
enum class ring_kind { channel, cached_ring };

/// The two processors of a sample: operating-system indices of two different PUs.
struct pu_pair {
  unsigned first, second;
};

/// One sample of the round trip of an 8-byte value: `first` sends it on one ring, `second` sends it
/// back on another, one value in flight.
///
/// Every value that comes back is compared; a verified warm-up of a tenth as many trips goes first
/// and is not timed. The caller interleaves the kinds and takes medians. 20,000 trips: about 4 ms.
///
/// Requires: iterations > 0.
/// Guarantees: the calling thread's affinity is untouched (both ends are threads of the sample).
/// Returns: nanoseconds per round trip (two hops).
/// Throws: std::invalid_argument for equal PUs or no iterations; std::system_error if a thread
/// cannot be started or bound; std::runtime_error if a wrong value came back.
/// Thread safety: no two samples at once on the same processors, or they measure each other.
[[nodiscard]] double round_trip_ns(ring_kind kind, pu_pair pus, std::size_t iterations = 20'000);

/// Shape of a streaming sample. `batch` items go in one bulk push and come out in one bulk pop;
/// batch 1 uses the one-value operations instead.
struct stream_shape {
  std::size_t items = std::size_t{1} << 23;  ///< 8-byte items: some ms in bulk
  std::size_t batch = 1024;                  ///< items a call
  std::size_t capacity = 8192;               ///< items the ring holds
};

/// One sample of one-way throughput: `first` streams 8-byte items to `second`.
///
/// A stream of a sixteenth of the items is checked item by item before; in the timed one the
/// receiver checks the first and last item of every batch.
///
/// Requires: items >= batch > 0, capacity >= batch; for cached_ring a power of two.
/// Guarantees: the calling thread's affinity is untouched.
/// Returns: items per second, from the first push to the last item out.
/// Throws: as round_trip_ns.
[[nodiscard]] double items_per_second(ring_kind kind, pu_pair pus, stream_shape shape = {});

}  // namespace pleat::bench
