// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/channels/slot.hpp>

namespace pleat::detail {

/// Kind of a record's payload.
enum class record_kind : std::uint8_t {
  inlined,   ///< `count` messages of `size` bytes each, one after the other
  lent,      ///< one message: a `lent_block`, the sender's memory
  enclosed,  ///< the same, lent by another process: the elements follow the `lent_block`
  block,     ///< one message in memory of its own, a `payload_block`, freed after reading
  carried,   ///< one message: a `lent_block` of a copy from another process, freed likewise
};

/// One entry of a stream of messages: consecutive sends of equal size from one VP to another share
/// a record. The payload follows, padded to 8 bytes.
struct record {
  union {
    std::uint64_t destination;  // until delivery: the receiver's rank
    record* next;               // in an inbox: the next record, of the last one the first
  };
  std::uint32_t source;
  std::uint32_t count;
  std::uint16_t size;
  record_kind kind;
  std::uint8_t home;    // pool of its worker that holds it (see inbox_pools)
  std::uint32_t stamp;  // number of its delivery; within one, records are ordered by source

  [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  [[nodiscard]] const std::byte* payload() const noexcept {
    return reinterpret_cast<const std::byte*>(this + 1);
  }
  /// Bytes from this record to the next one.
  [[nodiscard]] std::size_t extent() const noexcept {
    return sizeof(record) + (std::size_t{count} * size + 7) / 8 * 8;
  }
};
static_assert(sizeof(record) == 24 && alignof(record) == 8);

/// `home` of a record that was copied to memory of its own, because its VP had not received it when
/// its pool was emptied.
inline constexpr std::uint8_t rescued = 255;

/// Greatest size of a payload in the stream itself; larger ones have a block of their own.
inline constexpr std::size_t largest_inline = slot_payload;

/// Greatest number of sends of equal size that share a record.
inline constexpr std::uint32_t most_run_together = (1u << 24) - 1;

struct payload_block {
  std::byte* data;
  std::size_t bytes;
};

/// Tells whether a record refers to memory that the receiver frees after reading.
[[nodiscard]] constexpr bool has_memory(record_kind kind) noexcept {
  return kind >= record_kind::block;
}

/// Frees the memory to which a payload of kind block or carried refers; the other kinds own none.
/// The holder of the record owns the memory: an outbox, a mailbox, or a virtual processor's inbox.
PLEAT_API void discard_payload(record_kind kind, const std::byte* payload) noexcept;
/// Discards the payloads of all records from first to last.
PLEAT_API void discard_payloads(const std::byte* first, const std::byte* last) noexcept;

template <class T> [[nodiscard]] T load_payload(const std::byte* from) noexcept {
  T value;
  std::memcpy(static_cast<void*>(&value), from, sizeof value);
  return value;
}

}  // namespace pleat::detail
