// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace pleat::detail {

/// Growing buffer of bytes. Growth moves the contents and invalidates pointers into the buffer.
class PLEAT_API byte_buffer {
 public:
  byte_buffer() = default;
  byte_buffer(byte_buffer&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)),
        end_(std::exchange(other.end_, nullptr)),
        limit_(std::exchange(other.limit_, nullptr)) {}
  byte_buffer& operator=(byte_buffer&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(end_, other.end_);
    std::swap(limit_, other.limit_);
    return *this;
  }
  ~byte_buffer() {
    if (first_ != nullptr) release();
  }
  /// Makes a full buffer that owns `bytes` bytes of memory from take_memory.
  [[nodiscard]] static byte_buffer of(std::byte* memory, std::size_t bytes) noexcept {
    byte_buffer all;
    all.first_ = memory;
    all.end_ = all.limit_ = memory + bytes;
    return all;
  }
  /// Releases the memory to the caller, who passes it to give_back_memory; the buffer is then
  /// empty.
  [[nodiscard]] std::byte* surrender() noexcept {
    end_ = limit_ = nullptr;
    return std::exchange(first_, nullptr);
  }

  [[nodiscard]] std::byte* begin() const noexcept { return first_; }
  [[nodiscard]] std::byte* end() const noexcept { return end_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(end_ - first_);
  }
  [[nodiscard]] std::size_t room() const noexcept {
    return static_cast<std::size_t>(limit_ - end_);
  }
  [[nodiscard]] bool empty() const noexcept { return end_ == first_; }
  /// All memory of the buffer, with the free part.
  [[nodiscard]] std::span<const std::byte> memory() const noexcept { return {first_, limit_}; }

  std::byte* append(std::size_t bytes) {
    if (bytes > room()) [[unlikely]]
      grow(bytes);
    return std::exchange(end_, end_ + bytes);
  }
  void resize_down(std::size_t bytes) noexcept { end_ = first_ + bytes; }
  void clear() noexcept { end_ = first_; }
  /// Makes room for `bytes` more. May move the contents.
  void reserve(std::size_t bytes) {
    if (bytes > room()) grow(bytes);
  }
  void release() noexcept;

 private:
  void grow(std::size_t bytes);

  std::byte* first_ = nullptr;
  std::byte* end_ = nullptr;
  std::byte* limit_ = nullptr;
};

}  // namespace pleat::detail
