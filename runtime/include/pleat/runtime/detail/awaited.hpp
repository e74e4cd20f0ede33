// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstdint>

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

}  // namespace pleat::detail
