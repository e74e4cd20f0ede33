// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

// for cache_line
#include <pleat/channels/cache_line.hpp>

namespace pleat {

/// Bytes of payload that travel inside a slot.
inline constexpr std::size_t slot_payload = 48;

/// Requires that T can travel inside a slot by value.
template <class T>
concept slot_value = std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>> &&
                     std::is_trivially_copyable_v<T> && sizeof(T) <= slot_payload;

/// Kind of a slot's content. A slot of all zero bytes (`slot{}`) is empty.
enum class slot_kind : std::uint8_t {
  empty = 0,  ///< no payload, though source, destination and tag may have a meaning
  value,      ///< bytes, up to slot_payload of them
  lent,       ///< a descriptor of memory of another owner
};

/// Description of lent memory: `rows` rows of `columns` elements, the starts of neighbouring rows
/// `stride` elements apart. Contiguous memory is one row.
///
/// The sender's rules determine who owns the memory and until when it may be read; the slot only
/// carries the description. `writable` tells whether the memory was lent without const.
struct lent_block {
  void* data;                  ///< the first element; read-only unless `writable`
  std::size_t rows, columns;   ///< in elements
  std::size_t stride;          ///< elements between the starts of rows; >= columns if rows > 1
  std::uint32_t element_size;  ///< bytes
  std::uint32_t owner;         ///< rank of the VP whose memory it is
  bool writable;               ///< lent without const: the borrower may move from it

  /// Elements in all.
  [[nodiscard]] constexpr std::size_t count() const noexcept { return rows * columns; }
  /// Tells whether the block is one piece of memory.
  [[nodiscard]] constexpr bool contiguous() const noexcept {
    return rows <= 1 || stride == columns;
  }

  friend bool operator==(const lent_block&, const lent_block&) = default;
};

/// Message of one cache line, for a channel: 48 bytes of payload (a value, a few values, or the
/// description of lent memory) and 16 bytes of header (kind, size, mark, source, destination, tag).
///
/// A line moves between processors as a whole, so a slot costs one miss, however many bytes are
/// used. The payload is at the front and so aligned for every type that fits.
///
/// A slot is a trivial type: the producer makes it, a channel copies it, the consumer reads it in
/// place. A default-initialised one is indeterminate; `slot{}` is empty. A put writes only the
/// bytes that it is given; the bytes behind them do not change.
///
/// Thread safety: none of its own; a channel orders the producer's put before the consumer's get.
class alignas(cache_line) slot {
 public:
  slot() = default;

  // ---------------------------------------------------------------- payload

  /// Makes the payload one value; a pointer or a span is carried as such, not what it points to.
  /// The header's source, destination and tag stay.
  ///
  /// Cost: a copy of sizeof(T) bytes.
  template <slot_value T> void put(const T& value) noexcept {
    put_bytes(std::as_bytes(std::span<const T, 1>(&value, 1)));
  }

  /// Makes the payload the bytes of several values. How many there are follows from `size()`.
  ///
  /// Requires: bytes.size() <= slot_payload.
  void put_bytes(std::span<const std::byte> bytes) noexcept {
    assert(bytes.size() <= slot_payload && "larger payloads are lent, not put");
    if (!bytes.empty()) std::memcpy(payload_, bytes.data(), bytes.size());
    size_ = static_cast<std::uint8_t>(bytes.size());
    kind_ = slot_kind::value;
  }

  /// Makes the payload a description of memory, which itself is not touched.
  void put(const lent_block& block) noexcept {
    std::memcpy(payload_, &block, sizeof block);
    size_ = sizeof block;
    kind_ = slot_kind::lent;
  }

  /// Returns the value that was put.
  ///
  /// Requires: kind() is value, and the value put has the size of T.
  /// Guarantees: a T of the bytes put, whatever their type was: the two sides agree on T.
  template <slot_value T>
  [[nodiscard]] T get() const noexcept requires(!std::same_as<T, lent_block>) {
    assert(kind_ == slot_kind::value && size_ == sizeof(T) && "get what was put");
    return read<T>();
  }

  /// Returns the block that was put.
  ///
  /// Requires: kind() is lent.
  [[nodiscard]] lent_block lent() const noexcept {
    assert(kind_ == slot_kind::lent && "only a lent payload describes a block");
    return read<lent_block>();
  }

  /// Bytes of the payload, in place, aligned to a cache line.
  ///
  /// Guarantees: size() of them; valid as long as the slot is unchanged.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {payload_, size_}; }

  // ---------------------------------------------------------------- header

  [[nodiscard]] slot_kind kind() const noexcept { return kind_; }

  /// Bytes of payload in use: 0 … slot_payload.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Sets the rank of the sender, that of the receiver, and a number of the user's choice: a
  /// superstep, a sequence.
  void address(std::uint32_t source, std::uint32_t destination, std::uint32_t tag) noexcept {
    source_ = source;
    destination_ = destination;
    tag_ = tag;
  }
  [[nodiscard]] std::uint32_t source() const noexcept { return source_; }
  [[nodiscard]] std::uint32_t destination() const noexcept { return destination_; }
  [[nodiscard]] std::uint32_t tag() const noexcept { return tag_; }

  /// Sixteen bits the layer above uses as it likes.
  void mark(std::uint16_t bits) noexcept { mark_ = bits; }
  [[nodiscard]] std::uint16_t mark() const noexcept { return mark_; }

 private:
  template <class T> T read() const noexcept {
    // An array of bytes, not a T: T needs no default constructor to be read.
    struct alignas(T) image {
      std::byte bytes[sizeof(T)];
    } copy;
    std::memcpy(copy.bytes, payload_, sizeof(T));
    return std::bit_cast<T>(copy);
  }

  std::byte payload_[slot_payload];
  slot_kind kind_;
  std::uint8_t size_;
  std::uint16_t mark_;
  std::uint32_t source_, destination_, tag_;
};

static_assert(sizeof(slot) == cache_line && alignof(slot) == cache_line,
              "a slot is one line, no more, and never lies across two");
static_assert(std::is_trivial_v<slot>, "a slot is its bytes: rings copy it by memmove");
static_assert(std::is_standard_layout_v<slot>);
static_assert(sizeof(lent_block) <= slot_payload, "a description fits where a value does");
static_assert(std::is_trivially_copyable_v<lent_block>);

}  // namespace pleat
