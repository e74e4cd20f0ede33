// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/channels/line_ring.hpp>

namespace pleat::detail {

/// Event that a virtual processor waits for at a channel.
enum class channel_event : std::uint8_t {
  room,        ///< room to push a message
  value,       ///< a value to pop
  drained,     ///< the other end has released all pushed messages
  rendezvous,  ///< no channel: many VPs have arrived, the peer and the ones behind it
};

[[nodiscard]] inline bool happened(channel_event event, const line_ring& at) noexcept {
  switch (event) {
    case channel_event::room:
      return at.room();
    case channel_event::value:
      return at.ready();
    case channel_event::drained:
    case channel_event::rendezvous:
      break;
  }
  return at.drained();
}

/// An event at a channel of some kind.
struct awaited {
  channel_event event;
  const void* at;
  bool (*has_happened)(channel_event event, const void* at);

  [[nodiscard]] bool operator()() const { return has_happened(event, at); }
};
template <class Channel>
[[nodiscard]] awaited awaited_at(channel_event event, const Channel& at) noexcept {
  return {event, &at, [](channel_event what, const void* where) {
            return happened(what, *static_cast<const Channel*>(where));
          }};
}

/// Mark and payload of a message in a ring that refers to memory.
inline constexpr std::uint16_t lends = 1;
struct lent_memory {
  const std::byte* data;
  std::uint64_t bytes;
};

/// Producer's half of a ring to a virtual processor of another process. A message leaves it when
/// worker 0 has copied it.
struct remote_ring {
  remote_ring(std::size_t most, std::uint32_t messages) : ring(most, messages), tags(messages) {}
  /// Tells whether messages are left for which the consumer has returned no credit.
  [[nodiscard]] bool untaken() const noexcept { return ring.pushed() != credited; }
  /// Tag of the oldest of these messages. Requires: untaken(), and the run is over.
  [[nodiscard]] std::uint32_t oldest_tag() const noexcept {
    return ring.taken() != credited ? tags[credited % ring.holds()] : ring.front().tag;
  }
  line_ring ring;
  std::uint32_t credited = 0;       // messages for which the consumer has returned credits
  std::vector<std::uint32_t> tags;  // of the messages sent and not taken
};

/// Cost of a message between the first and the last process of a machine: `start` + `per_byte` ·
/// bytes, in seconds; and the start between the first and the second.
struct process_message_cost {
  double start = 0;
  double per_byte = 0;
  double start_nearby = start;
  /// Tells whether messages between neighbours cost much less, as where nodes have several
  /// processes.
  [[nodiscard]] bool near_is_cheap() const noexcept { return start_nearby < start / 2; }
};

}  // namespace pleat::detail
