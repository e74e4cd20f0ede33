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
/// two halves, ordinary rings: the producer's, on its process, and the consumer's. So a virtual
/// processor pushes, takes and waits as at any ring; worker 0 of the producer's process takes
/// messages out of the first half and sends them, worker 0 of the consumer's puts them into the
/// second.
///
/// The sender has a *credit* for each free place of the consumer's half. Messages taken are
/// credited when they are half as many as it holds; or, where the sender has no credit left, as
/// soon as the consumer's process has nothing else to do. The consumer's process knows from
/// its own numbers whether the sender has none.
///
/// Messages of any size travel: of those that lend memory, what is in it. Worker 0 takes a message
/// out of the producer's half when it has copied it, so that a half which is drained says that what
/// was lent is the producer's again; the consumer of a large one finds it in memory that it borrows
/// from worker 0, until it lets the message go.
///
/// Invariant: as many messages as a half holds are on their way or in the consumer's half; as many
/// in the producer's. Where nobody goes on, none is in the first as long as there is room in the
/// second: so a program waits for room for ever where it would in one process, whose rings of
/// vp::push hold as many as both halves.
///
/// Cost: of all messages that wait for one process one packet when worker 0 looks, which it does
/// while it waits itself; one section of credits for half as many messages as a half holds, or
/// fewer. A look costs two loads for each of these rings. Thread safety: `to` and `from` all
/// threads, `untaken` the producer's; else worker 0 of a run.
class PLEAT_API remote_rings {
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

  /// Begins a run; of the last one nothing is left.
  void begin(std::uint64_t number) noexcept;
  /// Requires: VP ends::source is of this process, ends::destination is not.
  [[nodiscard]] remote_ring& to(const ends& of);
  /// Requires: VP ends::destination is of this process, ends::source is not.
  [[nodiscard]] line_ring& from(const ends& of);

  /// Takes a packet that has come from another process in this run.
  void take(std::shared_ptr<const byte_buffer> packet);
  /// Sends what is to be sent. `idle`: worker 0 has waited for a while. Returns whether something
  /// has changed that a virtual processor may wait for. Throws: std::bad_alloc.
  bool advance(bool idle);

  /// Number of messages of libraries pushed here less those taken here; its sum over all processes,
  /// when all virtual processors have ended, is the number of messages never taken.
  [[nodiscard]] std::uint64_t untaken();
  /// Credits each message that is taken at once from here on, to find out which ones never were.
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
    std::uint32_t released = 0;  // messages whose memory is let go
    std::vector<std::shared_ptr<const byte_buffer>> held;
  };
  /// Header of a message, which begins at a multiple of a cache line if it is too large for the
  /// ring; or of nothing: credits.
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
  bool changed_ = false;  // by what has come
  bool settled_ = false;
};

}  // namespace pleat::detail
