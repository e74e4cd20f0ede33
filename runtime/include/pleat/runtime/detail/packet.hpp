// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/runtime/detail/outbox.hpp>

namespace pleat::detail {

/// What a message between two ranks is.
enum class packet_kind : std::uint16_t {
  hello,     ///< a machine is made: what this rank's part is like
  welcome,   ///< rank 0 answers with everybody's
  step,      ///< (exchange) the rank has come to a barrier; `section`s of mail follow
  left,      ///< (exchange) the rank will come to this barrier no more
  mail,      ///< (exchange) at a sparse barrier: `section`s of mail alone
  taken,     ///< (exchange) a mail or leftover has come
  round,     ///< (exchange) a round of a sparse barrier: a `round_news`
  channel,   ///< (channels) values pushed, credits for values popped
  ring,      ///< (rings) messages of libraries, credits for those taken
  leftover,  ///< (exchange) what virtual processors that have ended sent: last arrivals, a section
  quiet,     ///< (agreement) nobody on the rank can go on by itself
  probe,     ///< rank 0 asks whether that is still so, and what has been sent and received
  answer,
  tell,  ///< rank 0 asks where everybody waits
  told,
  settle,  ///< rank 0 asks for credits for all that was taken: something was not
  counts,  ///< (costs) what a part of a cluster across ranks has sent in a superstep
  parted,  ///< the rank has destroyed its link: it makes no machine any more
  gone,    ///< the rank has destroyed its machine: it takes part in no run from this one on
  done,    ///< all virtual processors of the rank have ended
  failed,  ///< the run has failed on the rank
  over,    ///< rank 0 ends the run for all
};

/// The front of every message between two ranks.
struct packet_head {
  std::uint64_t run = 0;  // which run of the machine, from 1
  std::uint32_t v = 0;    // of the run
  packet_kind kind{};
  std::uint16_t label = 0;  // exchange: of the cluster
  std::uint64_t first = 0;  // exchange: of the cluster's ranks
  std::uint64_t epoch = 0;  // exchange: of the barrier, from 1; agreement: of the probe
};
static_assert(sizeof(packet_head) == 32);

/// Values one behind the other.
class byte_writer {
 public:
  explicit byte_writer(byte_buffer& to) noexcept : to_(to) {}
  template <class T> void put(const T& value) {
    std::memcpy(to_.append((sizeof value + 7) / 8 * 8), &value, sizeof value);
  }
  void put_bytes(const void* data, std::size_t bytes) {
    put(std::uint64_t{bytes});
    std::byte* const at = to_.append((bytes + 7) / 8 * 8);
    if (bytes != 0) std::memcpy(at, data, bytes);
  }

 private:
  byte_buffer& to_;
};
/// Reads them again in the same order. Requires that they are there.
class byte_reader {
 public:
  explicit byte_reader(const byte_buffer& from) noexcept : at_(from.begin()), end_(from.end()) {}
  template <class T> [[nodiscard]] T take() noexcept {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += (sizeof value + 7) / 8 * 8;
    return value;
  }
  /// As put_bytes wrote them.
  [[nodiscard]] const std::byte* take_bytes(std::size_t& bytes) noexcept {
    bytes = static_cast<std::size_t>(take<std::uint64_t>());
    return skip((bytes + 7) / 8 * 8);
  }
  const std::byte* skip(std::size_t bytes) noexcept {
    const std::byte* const before = at_;
    at_ += bytes;
    return before;
  }
  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }

 private:
  const std::byte* at_;
  const std::byte* end_;
};

}  // namespace pleat::detail
