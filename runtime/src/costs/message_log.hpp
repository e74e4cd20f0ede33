// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat::detail {

/// The messages of a counted run, one by one: what a router makes other supersteps of.
struct message_log {
  struct message {
    std::uint32_t source, destination;
    std::uint32_t superstep;
    std::uint64_t weight;  // messages of the model
  };

  std::vector<message> messages;          // by source, those of one in the order it sent them
  std::vector<std::size_t> first;         // [rank]: its first one; and the end of all
  std::vector<std::uint32_t> supersteps;  // [rank]: those that it ended with a sync

  [[nodiscard]] std::span<const message> of(std::size_t rank) const noexcept {
    return {messages.data() + first[rank], messages.data() + first[rank + 1]};
  }
};

}  // namespace pleat::detail
