// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/runtime/detail/byte_buffer.hpp>

namespace pleat::detail {

/// Number of bytes that a value of `bytes` bytes takes in a stream of whole words.
[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + 7) / 8 * 8;
}

/// Writes values one after the other.
class byte_writer {
 public:
  explicit byte_writer(byte_buffer& to) noexcept : to_(to) {}
  template <class T> void put(const T& value) {
    std::memcpy(to_.append(padded(sizeof value)), &value, sizeof value);
  }
  void put_bytes(const void* data, std::size_t bytes) {
    put(std::uint64_t{bytes});
    std::byte* const at = to_.append(padded(bytes));
    if (bytes != 0) std::memcpy(at, data, bytes);
  }

 private:
  byte_buffer& to_;
};
/// Reads the values in the same order. Requires that there are enough.
class byte_reader {
 public:
  explicit byte_reader(const byte_buffer& from) noexcept : byte_reader(from.begin(), from.end()) {}
  byte_reader(const std::byte* first, const std::byte* last) noexcept : at_(first), end_(last) {}
  template <class T> [[nodiscard]] T take() noexcept {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += padded(sizeof value);
    return value;
  }
  /// Returns the bytes that put_bytes has written, and sets `bytes` to their number.
  [[nodiscard]] const std::byte* take_bytes(std::size_t& bytes) noexcept {
    bytes = static_cast<std::size_t>(take<std::uint64_t>());
    return skip(padded(bytes));
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
