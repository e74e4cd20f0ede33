// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "processes/link.hpp"
#include "processes/packet.hpp"

namespace pleat::detail {

/// Messages that are being made, one at most for each other rank.
class rank_packets {
 public:
  explicit rank_packets(std::size_t ranks) : packets_(ranks) {}

  /// That for a rank. Begins with the head if there was none. Throws: std::bad_alloc.
  [[nodiscard]] byte_buffer& to(std::size_t rank, const packet_head& head) {
    byte_buffer& packet = packets_[rank];
    if (packet.empty()) byte_writer(packet).put(head);
    some_ = true;
    return packet;
  }
  /// Sends all of them. Returns how many. Throws: std::bad_alloc.
  std::size_t post(link& over) {
    if (!std::exchange(some_, false)) return 0;
    std::size_t sent = 0;
    for (std::size_t rank = 0; rank < packets_.size(); ++rank) {
      if (packets_[rank].empty()) continue;
      over.post(rank, packets_[rank]);
      packets_[rank].clear();
      ++sent;
    }
    return sent;
  }
  void clear() noexcept {
    for (byte_buffer& packet : packets_) packet.clear();
    some_ = false;
  }

 private:
  std::vector<byte_buffer> packets_;  // [rank]
  bool some_ = false;
};

}  // namespace pleat::detail
