// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>

#include <pleat/channels/slot.hpp>

#include "engine/vp_channels.hpp"
#include "mail/rank_layout.hpp"
#include "processes/far_halves.hpp"
#include "processes/link.hpp"
#include "processes/packet.hpp"
#include "processes/rank_packets.hpp"

namespace pleat::detail {

struct run_state;

/// The channels between virtual processors of this rank and those of other ranks. Each consists of
/// two halves, ordinary channels: the producer's, on its rank, and the consumer's. So a virtual
/// processor pushes, pops and waits as at any channel; worker 0 of the producer's rank takes values
/// out of the first half and sends them, worker 0 of the consumer's puts them into the second.
///
/// The sender has a *credit* for each free slot of the consumer's half. What was popped is credited
/// when it is half of that; or, where the sender has no credit left, as soon as the consumer's rank
/// has nothing else to do. Whether it has none, the consumer's rank knows from its own numbers.
///
/// Invariant: both halves together hold as many values as a channel inside a rank, and where nobody
/// goes on none is in the first as long as there is room in the second. So a program waits for room
/// for ever where it would in one process.
///
/// Cost: of all values that wait for one rank one message when worker 0 looks, which it does while
/// it waits itself; one message of credits for 16 values popped, or fewer, with the values that go
/// the same way. A look costs two loads for each of these channels.
/// Thread safety: `to` and `from` all threads, else worker 0 of a run.
class PLEAT_API far_channels {
 public:
  /// Values that a half holds.
  static constexpr std::size_t half = 32;

  far_channels(run_state& run, link& over, const rank_layout& layout)
      : run_(run), link_(over), layout_(layout), packets_(layout.ranks()) {}

  /// A run begins; of the last one nothing is left.
  void begin(std::uint64_t number) noexcept;
  /// The run is over on all ranks.
  void clear() noexcept;

  /// The producer's half. Requires: VP `source` is of this rank, `destination` is not.
  [[nodiscard]] vp_channel& to(std::size_t source, std::size_t destination);
  /// The consumer's half. Requires: VP `destination` is of this rank, `source` is not.
  [[nodiscard]] vp_channel& from(std::size_t source, std::size_t destination);

  /// What has come from another rank in this run.
  void take(byte_reader content);
  /// Sends what is to be sent. `idle`: worker 0 has waited for a while. Returns whether something
  /// has changed that a virtual processor may wait for. Throws: std::bad_alloc.
  bool advance(bool idle);

  /// Messages so far, for whoever wants to know whether one is on its way.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

 private:
  struct ends {
    std::uint32_t source, destination;
    friend auto operator<=>(const ends&, const ends&) = default;
  };
  struct producer_half {
    explicit producer_half(ends of) : between(of) {}
    ends between;
    vp_channel values{half};
    std::size_t credits = half;
  };
  struct consumer_half {
    explicit consumer_half(ends of) : between(of) {}
    [[nodiscard]] std::uint64_t popped() const noexcept { return received - half + values.room(); }
    ends between;
    vp_channel values{half};
    std::uint64_t received = 0;
    std::uint64_t credited = 0;
  };
  /// In front of values, or of nothing: credits.
  struct section {
    ends between;
    std::uint32_t credits;
    std::uint32_t values;
  };

  [[nodiscard]] bool send_values(producer_half& from);
  void send_credits(consumer_half& from, bool idle);
  /// Appends it to the message for the rank of the virtual processor at the other end.
  byte_buffer& add(std::size_t other_end, const section& front);
  void wake(std::size_t here) noexcept;

  run_state& run_;
  link& link_;
  const rank_layout& layout_;
  far_halves<ends, producer_half> producers_;
  far_halves<ends, consumer_half> consumers_;
  std::uint64_t number_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
  rank_packets packets_;
  bool changed_ = false;  // by what has come
};

}  // namespace pleat::detail
