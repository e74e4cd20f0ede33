// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// A received message. The message and its spans are valid until the receiver's next sync. Sender
/// and receiver must use the same type `T`. Throws: usage_error if sizes do not fit, if lent memory
/// is read as sent values or sent values as lent memory, and for a writable view of memory that was
/// lent const.
class message {
 public:
  message(std::size_t source, detail::record_kind kind, const std::byte* data, std::size_t bytes)
      : data_(data), bytes_(bytes), source_(static_cast<std::uint32_t>(source)), kind_(kind) {}

  /// Rank of the sender.
  [[nodiscard]] std::size_t source() const noexcept { return source_; }
  /// Tells whether the message is lent memory (`view`) or sent values (`get`, `span`).
  [[nodiscard]] bool lent() const noexcept { return kind_ == detail::record_kind::lent; }
  /// Number of bytes of the elements, sent or lent.
  [[nodiscard]] std::size_t bytes() const noexcept {
    if (!lent()) return bytes_;
    const auto v = detail::load_payload<lent_block>(data_);
    return v.count() * v.element_size;
  }

  /// Returns the one value sent. Requires that a T was sent.
  template <class T>
  requires byte_copyable<T>
  [[nodiscard]] T get() const {
    if (lent() || bytes_ != sizeof(T)) [[unlikely]]
      refuse("one value", sizeof(T));
    return detail::load_payload<T>(data_);
  }

  /// Returns the elements sent. Requires that a span of T, or one T, was sent.
  template <class T>
  requires byte_copyable<T>
  [[nodiscard]] std::span<const T> span() const {
    if (lent() || bytes_ % sizeof(T) != 0) [[unlikely]]
      refuse("a span of values", sizeof(T));
    return {reinterpret_cast<const T*>(data_), bytes_ / sizeof(T)};
  }

  /// Returns a view of the sender's memory. Requires that T's were lent, and that they were lent
  /// writable unless T is const.
  template <class T> [[nodiscard]] strided_view<T> view() const {
    if (!lent()) [[unlikely]]
      refuse("a view of values", sizeof(T));
    const auto v = detail::load_payload<lent_block>(data_);
    if (v.element_size != sizeof(T) || !(v.writable || std::is_const_v<T>)) [[unlikely]]
      refuse(std::is_const_v<T> ? "a view of values" : "a view of writable values", sizeof(T));
    return {static_cast<T*>(v.data), v.rows, v.columns, v.stride};
  }

 private:
  [[noreturn]] PLEAT_API void refuse(const char* asked, std::size_t value_bytes) const;

  const std::byte* data_;
  std::size_t bytes_;
  std::uint32_t source_;
  detail::record_kind kind_;
};

}  // namespace pleat
