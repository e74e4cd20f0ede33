// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/detail/record.hpp>

namespace pleat {
class vp;
}

namespace pleat::detail {

class worker;

/// One message on its way through virtual processors that are neither its source nor its
/// destination.
struct packet {
  std::uint32_t source, destination;
  std::uint32_t sequence;  // among the messages of its source
  std::uint16_t size;      // of the payload, a record's
  record_kind kind;        // of the payload, a record's
  std::uint64_t weight;    // how many messages of the model it counts as
  alignas(8) std::array<std::byte, largest_inline> payload;
};

/// What a tally adds up over a cluster.
struct tallies {
  std::uint64_t weights[2] = {0, 0};
  bool complete = true;  // every VP of the cluster took part

  void add(const tallies& other) noexcept {
    for (int side : {0, 1}) weights[side] += other.weights[side];
    complete = complete && other.complete;
  }
};

/// A tally's answer: sums over the VPs of lower rank, and over all of the cluster.
struct prefix_tallies {
  tallies before, all;
};

/// What a virtual processor has to do with messages that do not travel directly: those it has sent
/// and no barrier has taken along, and those of anybody that rest with it between two supersteps.
struct PLEAT_API relay_state {
  relay_state() = default;
  relay_state(const relay_state&) = delete;
  relay_state& operator=(const relay_state&) = delete;
  /// Requires that the protocol has ended.
  ~relay_state() {
    for (const packet& p : resting) discard_payload(p.kind, p.payload.data());
  }

  /// The protocol is what `me` runs next, before its program goes on behind sync(label).
  void start_protocol(vp& me, unsigned at_label);
  /// Destroys the last superstep's coroutine, if there is one.
  void end_protocol() noexcept;
  /// The VP has ended and will come to no barrier: what it has sent goes its way without a detour.
  void send_directly(worker& on);

  outbox sent;                         // in the order they were sent
  std::vector<std::uint64_t> weights;  // of the messages in `sent`, one each
  std::vector<packet> resting;
  /// All VPs of the superstep's cluster take part. If one has ended, packets go from their source
  /// to their destination in one step, and the protocol's other supersteps move nothing.
  bool spreads = true;
  /// The last superstep's coroutine; it may be suspended at its end.
  std::coroutine_handle<> protocol;
  bool under_way = false;  // the VP's syncs are the protocol's, not its program's
  unsigned label = 0;      // of the program's sync
};

}  // namespace pleat::detail
