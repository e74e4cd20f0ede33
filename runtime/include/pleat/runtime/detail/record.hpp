// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/channels/slot.hpp>

namespace pleat::detail {

/// Kind of a record's payload.
enum class record_kind : std::uint8_t {
  inlined,  ///< `count` messages of `size` bytes each, one behind the other
  block,    ///< one message in memory of its own (a `payload_block`), freed after it was read
  carried,  ///< one message: a `lent_block` of a copy that came from another process, freed
            ///< likewise
  lent,     ///< one message: a `lent_block`, the sender's memory
};

/// One entry of a stream of messages: consecutive sends of equal size from one VP to another share
/// a record. The payload follows, padded to 8 bytes.
struct record {
  union {
    std::uint64_t destination;  // while it travels: the receiver's rank
    record* next;               // in an inbox: the receiver's next record, the last's the first
  };
  std::uint32_t source;
  std::uint32_t count;
  std::uint16_t size;
  record_kind kind;
  std::uint8_t home;    // which of its worker's pools holds it (see inbox_pools)
  std::uint32_t stamp;  // which delivery brought it: order is by source within one delivery

  [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  [[nodiscard]] const std::byte* payload() const noexcept {
    return reinterpret_cast<const std::byte*>(this + 1);
  }
  /// Bytes from this record to the one behind it.
  [[nodiscard]] std::size_t extent() const noexcept {
    return sizeof(record) + (std::size_t{count} * size + 7) / 8 * 8;
  }
};
static_assert(sizeof(record) == 24 && alignof(record) == 8);

/// `home` of a record that outlived its pool because its VP did not receive it in time: it has
/// memory of its own.
inline constexpr std::uint8_t rescued = 255;

/// Payloads up to this size travel in the stream itself, larger ones in a block of their own.
inline constexpr std::size_t largest_inline = slot_payload;

/// Greatest number of sends of equal size that share a record.
inline constexpr std::uint32_t most_run_together = (1u << 24) - 1;

struct payload_block {
  std::byte* data;
  std::size_t bytes;
};

/// Tells whether a record has memory that its receiver frees when it has been read.
[[nodiscard]] constexpr bool has_memory(record_kind kind) noexcept {
  return kind == record_kind::block || kind == record_kind::carried;
}

/// Frees the memory to which a payload of kind block or carried refers; the other kinds own none.
/// It belongs to the holder of the record: an outbox, a mailbox, a virtual processor's inbox.
PLEAT_API void discard_payload(record_kind kind, const std::byte* payload) noexcept;
/// Discards the payloads of all records from first to last.
PLEAT_API void discard_payloads(const std::byte* first, const std::byte* last) noexcept;

template <class T> [[nodiscard]] T load_payload(const std::byte* from) noexcept {
  T value;
  std::memcpy(static_cast<void*>(&value), from, sizeof value);
  return value;
}

}  // namespace pleat::detail
