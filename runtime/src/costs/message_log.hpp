// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat::detail {

/// The messages of a counted run, one by one; input of the router.
struct message_log {
  struct message {
    std::uint32_t source, destination;
    std::uint32_t superstep;
    std::uint64_t weight;  // messages of the model
  };

  std::vector<message> messages;          // by source; those of one source in the order of sending
  std::vector<std::size_t> first;         // [rank]: index of its first message; and the end
  std::vector<std::uint32_t> supersteps;  // [rank]: number of supersteps that it ended with a sync

  [[nodiscard]] std::span<const message> of(std::size_t rank) const noexcept {
    return {messages.data() + first[rank], messages.data() + first[rank + 1]};
  }
};

}  // namespace pleat::detail
