// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/far_halves.hpp>
#include <pleat/runtime/detail/link.hpp>
#include <pleat/runtime/detail/packet.hpp>
#include <pleat/runtime/detail/rank_layout.hpp>
#include <pleat/runtime/detail/rank_packets.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat {
class vp;
}

namespace pleat::detail {

struct run_state;

/// A message in a ring that says where its bytes are has this mark, and this for payload.
inline constexpr std::uint16_t lends = 1;
struct lent_memory {
  const std::byte* data;
  std::uint64_t bytes;
  const std::byte* more;  // null if the receiver is of another rank
};

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
  class producer_half {
   public:
    producer_half(const ends& of, std::size_t most) : between(of), ring(most) {}
    /// Whether the consumer has not taken all that was pushed, as far as this rank has heard.
    [[nodiscard]] bool untaken() const noexcept { return ring.pushed() != credited; }
    /// Of the oldest message that it has not taken. Requires: untaken(), and the run is over.
    [[nodiscard]] std::uint32_t oldest_tag() const noexcept {
      return ring.taken() != credited ? tags[credited % line_ring::capacity] : ring.front().tag;
    }
    const ends between;
    line_ring ring;
    std::uint32_t credited = 0;                             // messages that the consumer has taken
    std::array<std::uint32_t, line_ring::capacity> tags{};  // of those sent and not taken
  };

  /// A run begins; of the last one nothing is left.
  void begin(std::uint64_t number) noexcept;
  /// Requires: VP ends::source is of this rank, ends::destination is not.
  [[nodiscard]] producer_half& to(const ends& of);
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

/// Those of the machine that carries out the VP; null if it has one process.
[[nodiscard]] PLEAT_API far_rings* far_rings_of(vp& me) noexcept;
/// The rank of the machine that carries out VP q; 0 if it has one process.
[[nodiscard]] PLEAT_API std::size_t machine_rank_of(vp& me, std::size_t q) noexcept;
/// The VPs that a rank of the machine carries out.
[[nodiscard]] PLEAT_API rank_range vps_of_machine_rank(vp& me, std::size_t rank) noexcept;
/// The VPs that the same process carries out.
[[nodiscard]] PLEAT_API rank_range vps_beside(vp& me) noexcept;

}  // namespace pleat::detail
