// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/channels/line_ring.hpp>

namespace pleat::detail {

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

}  // namespace pleat::detail
