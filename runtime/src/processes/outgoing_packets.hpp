// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "processes/link.hpp"
#include "processes/packet.hpp"

namespace pleat::detail {

/// Packets under construction, at most one for each other process.
class outgoing_packets {
 public:
  explicit outgoing_packets(std::size_t processes) : packets_(processes) {}

  /// Returns the packet for a process, which begins with `head` if there was none. Throws:
  /// std::bad_alloc.
  [[nodiscard]] byte_buffer& to(std::size_t process, const packet_head& head) {
    byte_buffer& packet = packets_[process];
    if (packet.empty()) byte_writer(packet).put(head);
    some_ = true;
    return packet;
  }
  /// Sends all packets. Returns their number. Throws: std::bad_alloc.
  std::size_t post(link& over) {
    if (!std::exchange(some_, false)) return 0;
    std::size_t sent = 0;
    for (std::size_t process = 0; process < packets_.size(); ++process) {
      if (packets_[process].empty()) continue;
      over.post(process, packets_[process]);
      packets_[process].clear();
      ++sent;
    }
    return sent;
  }
  void clear() noexcept {
    for (byte_buffer& packet : packets_) packet.clear();
    some_ = false;
  }

 private:
  std::vector<byte_buffer> packets_;  // [process]
  bool some_ = false;
};

}  // namespace pleat::detail
