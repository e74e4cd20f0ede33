// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/remote_ring.hpp>

#include "engine/vp_rings.hpp"
#include "mail/process_layout.hpp"
#include "processes/link.hpp"
#include "processes/outgoing_packets.hpp"
#include "processes/packet.hpp"
#include "processes/ring_halves.hpp"

namespace pleat::detail {

struct run_state;

/// Rings between virtual processors of this process and those of other processes. Each consists of
/// two halves, which are ordinary rings: one in the producer's process and one in the consumer's.
/// So a virtual processor pushes, takes and waits as at any ring; worker 0 of the producer's
/// process takes messages from the first half and sends them, worker 0 of the consumer's process
/// puts them into the second half.
///
/// The sender has a *credit* for each free place of the consumer's half. Taken messages are
/// credited when they are half of its capacity; or, if the sender has no credit left, as soon as
/// the consumer's process has nothing else to do. The consumer's process knows from its own numbers
/// whether the sender has none left.
///
/// Messages may have any size; for messages that lend memory, the contents are sent. Worker 0 takes
/// a message from the producer's half after copying it, so an empty half tells the producer that
/// lent memory is free again. A large message is in memory that the consumer borrows from worker 0
/// until it releases the message.
///
/// Invariant: at most as many messages as a half holds are in transit or in the consumer's half; at
/// most as many are in the producer's half. If no VP continues, the producer's half is empty unless
/// the consumer's half is full. So a program waits for room for ever exactly if it would in one
/// process, whose rings of vp::push hold as many as both halves.
///
/// Cost: worker 0 polls while it waits, and sends all messages that wait for one process in one
/// packet; one section of credits for at most half as many messages as a half holds. A poll costs
/// two loads for each of these rings. Thread safety: `to` and `from` by any thread, `untaken` by
/// the producer's; all else by worker 0 of a run.
class remote_rings {
 public:
  remote_rings(run_state& run, link& over, const process_layout& layout)
      : run_(run), link_(over), layout_(layout), packets_(layout.processes()) {}

  struct ends {
    std::uint32_t source, destination, context;
    friend auto operator<=>(const ends&, const ends&) = default;
  };
  struct producer_half : remote_ring {
    producer_half(const ends& of, const ring_shape& shape)
        : remote_ring(shape.most, shape.messages), between(of) {}
    const ends between;
  };

  /// Begins a run, and drops all of the last one.
  void begin(std::uint64_t number) noexcept;
  /// Requires: VP ends::source is of this process, ends::destination is not.
  [[nodiscard]] remote_ring& to(const ends& of);
  /// Requires: VP ends::destination is of this process, ends::source is not.
  [[nodiscard]] line_ring& from(const ends& of);

  /// Takes a packet that has come from another process in this run.
  void take(std::shared_ptr<const byte_buffer> packet);
  /// Sends pending messages and credits. `idle`: worker 0 has waited for a while. Returns whether
  /// something has changed for which a virtual processor may wait. Throws: std::bad_alloc.
  bool advance(bool idle);

  /// Number of messages of libraries pushed here, less the number taken here. When all virtual
  /// processors have ended, the sum over all processes is the number of messages never taken.
  [[nodiscard]] std::uint64_t untaken();
  /// Credits each message, from now on, as soon as it is taken, to find out which ones never were.
  void settle();
  [[nodiscard]] bool settled() const noexcept { return settled_; }

  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

 private:
  struct consumer_half {
    consumer_half(const ends& of, const ring_shape& shape)
        : between(of), ring(shape.most, shape.messages), held(shape.messages) {}
    ends between;
    line_ring ring;
    std::uint32_t credited = 0;
    std::uint32_t released = 0;  // messages whose memory is released
    std::vector<std::shared_ptr<const byte_buffer>> held;
  };
  /// Header of a message, or of credits without a message. The message begins at a multiple of a
  /// cache line if it is too large for the ring.
  struct section {
    ends between;
    std::uint32_t credits = 0;
    std::uint32_t tag = 0;
    std::uint32_t mark = 0;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] ring_shape half(unsigned context) const noexcept;
  [[nodiscard]] bool send_messages(producer_half& from);
  void send_credits(consumer_half& from, bool idle);
  void put(consumer_half& to, const section& front, const std::byte* data,
           const std::shared_ptr<const byte_buffer>& packet);
  byte_buffer& add(std::size_t other_end, const section& front);
  void wake(std::size_t here) noexcept;

  run_state& run_;
  link& link_;
  const process_layout& layout_;
  ring_halves<ends, producer_half> producers_;
  ring_halves<ends, consumer_half> consumers_;
  std::uint64_t number_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
  outgoing_packets packets_;
  bool changed_ = false;  // by received packets
  bool settled_ = false;
};

}  // namespace pleat::detail
