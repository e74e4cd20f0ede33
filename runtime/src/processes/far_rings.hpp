// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/far_ring.hpp>
#include <pleat/runtime/fold.hpp>

#include "mail/rank_layout.hpp"
#include "processes/far_halves.hpp"
#include "processes/link.hpp"
#include "processes/packet.hpp"
#include "processes/rank_packets.hpp"

namespace pleat::detail {

struct run_state;

/// The rings of libraries between virtual processors of this rank and those of other ranks; see
/// far_channels. Messages of any size travel: of those that lend memory, what is in it. Worker 0
/// takes a message out of the producer's half when it has copied it, so that a half which is
/// drained says that what was lent is the producer's again; the consumer of a large one finds it in
/// memory that it borrows from worker 0, until it lets the message go.
///
/// Invariant: as many messages as a ring holds are on their way or in the consumer's half; as many
/// in the producer's.
/// Thread safety: `to` and `from` all threads, `untaken` the producer's; else worker 0 of a run.
class PLEAT_API far_rings {
 public:
  far_rings(run_state& run, link& over, const rank_layout& layout)
      : run_(run), link_(over), layout_(layout), packets_(layout.ranks()) {}

  struct ends {
    std::uint32_t source, destination, context;
    friend auto operator<=>(const ends&, const ends&) = default;
  };
  struct producer_half : far_ring {
    producer_half(const ends& of, std::size_t most) : far_ring(most), between(of) {}
    const ends between;
  };

  /// A run begins; of the last one nothing is left.
  void begin(std::uint64_t number) noexcept;
  /// Requires: VP ends::source is of this rank, ends::destination is not.
  [[nodiscard]] far_ring& to(const ends& of);
  /// Requires: VP ends::destination is of this rank, ends::source is not.
  [[nodiscard]] line_ring& from(const ends& of);

  /// What has come from another rank in this run.
  void take(std::shared_ptr<const byte_buffer> packet);
  /// As far_channels::advance.
  bool advance(bool idle);

  /// Messages pushed here less messages taken here: of all ranks together, when all virtual
  /// processors have ended, how many were never taken.
  [[nodiscard]] std::uint64_t untaken();
  /// Some were never taken: from here on each that was is credited at once, to find out which.
  void settle();
  [[nodiscard]] bool settled() const noexcept { return settled_; }

  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

 private:
  struct consumer_half {
    consumer_half(const ends& of, std::size_t most) : between(of), ring(most) {}
    ends between;
    line_ring ring;
    std::uint32_t credited = 0;
    std::uint32_t released = 0;  // messages whose memory is let go
    std::array<std::shared_ptr<const byte_buffer>, line_ring::capacity> held;
  };
  /// In front of a message, which begins at a multiple of a cache line; or of nothing: credits.
  struct section {
    ends between;
    std::uint32_t credits = 0;
    std::uint32_t tag = 0;
    std::uint32_t mark = 0;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] std::size_t most() const noexcept;
  [[nodiscard]] bool send_messages(producer_half& from);
  void send_credits(consumer_half& from, bool idle);
  void put(consumer_half& to, const section& front, const std::byte* data,
           const std::shared_ptr<const byte_buffer>& packet);
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
  bool settled_ = false;
};

}  // namespace pleat::detail
