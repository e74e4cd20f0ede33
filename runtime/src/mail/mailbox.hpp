// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/outbox.hpp>

#include "mail/leftovers.hpp"

namespace pleat::detail {

struct shared_cluster;

/// Mail from one worker to another at one barrier: a line of its own for little, a buffer for more.
/// While it is full, the records in it own what they carry.
///
/// Memory ordering: the barrier's. The sender fills it before it arrives, the receiver takes it
/// before it arrives at the next one, and the sender fills it again behind that. So all accesses
/// of `epoch` are relaxed.
struct alignas(destructive_distance) mailbox {
  static constexpr std::size_t small = 40;

  std::atomic<std::uint64_t> epoch{0};  // of the barrier; 0: taken
  std::size_t bytes = 0;
  const std::byte* large = nullptr;  // null: `inlined` has the bytes
  alignas(8) std::byte inlined[small];
  byte_buffer buffer;  // the sender's; where `large` points

  [[nodiscard]] const std::byte* data() const noexcept {
    return large != nullptr ? large : inlined;
  }
  /// The sender: hands over what is in `buffer`.
  void fill(std::uint64_t at_epoch) noexcept {
    bytes = buffer.size();
    large = bytes <= small ? nullptr : buffer.begin();
    if (large == nullptr) std::memcpy(inlined, buffer.begin(), bytes);
    epoch.store(at_epoch, std::memory_order_relaxed);
  }
  /// The receiver: has it been filled for this barrier?
  [[nodiscard]] bool is_full(std::uint64_t at_epoch) const noexcept {
    return epoch.load(std::memory_order_relaxed) == at_epoch;
  }
  /// The receiver: has copied the bytes.
  void taken() noexcept { epoch.store(0, std::memory_order_relaxed); }
  /// The sender: usually it was taken long ago; not if all of the receiver's VPs had ended.
  void discard() noexcept {
    if (epoch.load(std::memory_order_relaxed) == 0) return;
    discard_payloads(data(), data() + bytes);
    taken();
  }
};
static_assert(offsetof(mailbox, buffer) == cache_line, "what the receiver reads is one line");

/// Messages that VPs which ended left for another worker, when no other VP of theirs will come to
/// the barrier that delivers them. The receiver collects it at the next barrier in which the ended
/// ones did not take part any more: in each cluster the workers share, one behind the epoch given.
struct leftover {
  struct last_arrival {
    const shared_cluster* where;
    std::uint64_t epoch;
  };
  outbox messages;
  std::vector<last_arrival> last_arrivals;
};

}  // namespace pleat::detail
