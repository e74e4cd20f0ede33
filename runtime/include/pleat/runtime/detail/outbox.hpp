// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <pleat/channels/slot.hpp>
#include <pleat/runtime/detail/byte_buffer.hpp>

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

/// Messages from the VPs of one worker to the VPs of one worker (perhaps the same) that no barrier
/// has delivered yet, in the order of sending. The outbox owns the memory to which the records
/// refer.
///
/// Invariant: every bit in which the source and the destination of a held record differ is set in
/// `reach`, so its width determines the coarsest barrier that any of the records needs.
class outbox {
 public:
  outbox() = default;
  /// Uses the buffer's memory and discards its contents.
  explicit outbox(byte_buffer&& memory) noexcept : bytes_(std::move(memory)) { bytes_.clear(); }
  outbox(outbox&&) noexcept = default;
  outbox& operator=(outbox&&) noexcept = default;
  ~outbox() { discard(); }

  void send(std::uint32_t source, std::uint32_t destination, const void* value, std::size_t size) {
    const std::uint64_t route = std::uint64_t{source} << 32 | destination;
    if (route == open_route_ && size == open_size_) {
      // Appends only the payload to the open record. append() may move the buffer, so the record is
      // then found by its offset.
      std::memcpy(bytes_.append(size), value, size);
      if (++open()->count == most_run_together) close();
      return;
    }
    record* r = start(source, destination, size, record_kind::inlined);
    if (size != 0) std::memcpy(r->payload(), value, size);  // an empty span has no address
    // Only sends of whole words share a record: the next record must stay aligned.
    open_route_ = size != 0 && size % 8 == 0 ? route : no_route;
    open_size_ = size;
  }
  template <class Payload>
  void send_one(std::uint32_t source, std::uint32_t destination, record_kind kind,
                const Payload& payload) {
    std::memcpy(start(source, destination, sizeof payload, kind)->payload(), &payload,
                sizeof payload);
    close();
  }

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::size_t position() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::uint64_t reach() const noexcept { return reach_; }
  /// Closes the open record: the next send starts a new one.
  void close() noexcept { open_route_ = no_route; }

  [[nodiscard]] byte_buffer& bytes() noexcept { return bytes_; }
  [[nodiscard]] const byte_buffer& bytes() const noexcept { return bytes_; }
  /// Removes all records, which now have another owner.
  void forget() noexcept {
    bytes_.clear();
    reach_ = 0;
    close();
  }
  /// Moves all records to `other`, and takes its memory.
  void move_to(byte_buffer& other) noexcept {
    std::swap(bytes_, other);
    forget();
  }
  /// Removes all records and frees the memory to which they refer.
  void discard() noexcept {
    discard_payloads(bytes_.begin(), bytes_.end());
    forget();
  }
  /// Keeps the records from `position` on that `stays` accepts, in their order; calls `leave` with
  /// each of the others. If `leave` throws, its record and the records behind stay, too.
  template <class Stays, class Leave>
  void filter(std::size_t position, Stays&& stays, Leave&& leave) {
    std::byte* to = bytes_.begin() + position;
    std::byte* from = to;
    std::uint64_t reach = position == 0 ? 0 : reach_;  // of the records before `position`
    const auto close_gap = [&] {
      const auto rest = static_cast<std::size_t>(bytes_.end() - from);
      if (rest != 0) std::memmove(to, from, rest);  // an empty buffer has no address
      bytes_.resize_down(static_cast<std::size_t>(to - bytes_.begin()) + rest);
      reach_ = bytes_.empty() ? 0 : reach;
      close();
    };
    try {
      while (from != bytes_.end()) {
        auto* r = reinterpret_cast<record*>(from);
        const std::size_t extent = r->extent();
        if (stays(*r)) {
          reach |= r->source ^ r->destination;
          std::memmove(to, from, extent);
          to += extent;
        } else {
          leave(*r);
        }
        from += extent;
      }
    } catch (...) {
      reach = reach_;
      close_gap();
      throw;
    }
    close_gap();
  }
  /// Makes room for one record with a payload of `bytes`.
  void reserve_one(std::size_t bytes) { bytes_.reserve(sizeof(record) + (bytes + 7) / 8 * 8); }
  /// Appends a record with its payload.
  void append(const record& r) {
    std::memcpy(append_head(r), r.payload(), r.extent() - sizeof(record));
  }
  /// Appends a record with this head. Returns the place of its payload, which is not written yet.
  std::byte* append_head(const record& head) {
    std::byte* const at = bytes_.append(head.extent());
    std::memcpy(at, &head, sizeof head);
    reach_ |= head.source ^ head.destination;
    close();
    return at + sizeof head;
  }

 private:
  static constexpr std::uint64_t no_route = ~std::uint64_t{0};

  record* open() noexcept { return reinterpret_cast<record*>(bytes_.begin() + open_offset_); }

  record* start(std::uint32_t source, std::uint32_t destination, std::size_t size,
                record_kind kind) {
    const std::size_t offset = bytes_.size();
    auto* r = reinterpret_cast<record*>(bytes_.append(sizeof(record) + (size + 7) / 8 * 8));
    open_offset_ = offset;  // set last: if append throws, the previous record stays open
    r->destination = destination;
    r->source = source;
    r->count = 1;
    r->size = static_cast<std::uint16_t>(size);
    r->kind = kind;
    reach_ |= source ^ destination;
    return r;
  }

  byte_buffer bytes_;
  std::uint64_t reach_ = 0;
  std::uint64_t open_route_ = no_route;
  std::size_t open_size_ = 0;
  std::size_t open_offset_ = 0;
};

}  // namespace pleat::detail
