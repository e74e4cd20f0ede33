// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>

namespace pleat::detail::sorting {

/// Array of n indices in as few bytes as they need.
class index_array {
 public:
  [[nodiscard]] static constexpr bool wide(std::size_t n) noexcept { return n >> 32U != 0; }
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t n) noexcept {
    return n * (wide(n) ? 8 : 4);
  }

  explicit index_array(std::size_t n) noexcept : wide_(wide(n)) {}
  /// Requires: `memory` of bytes(n), aligned for 8.
  void lie_at(std::byte* memory) noexcept { memory_ = memory; }

  void set(std::size_t i, std::size_t index) const noexcept {
    if (wide_)
      reinterpret_cast<std::uint64_t*>(memory_)[i] = index;
    else
      reinterpret_cast<std::uint32_t*>(memory_)[i] = static_cast<std::uint32_t>(index);
  }
  [[nodiscard]] std::size_t operator[](std::size_t i) const noexcept {
    return wide_ ? reinterpret_cast<const std::uint64_t*>(memory_)[i]
                 : reinterpret_cast<const std::uint32_t*>(memory_)[i];
  }

 private:
  std::byte* memory_ = nullptr;
  bool wide_;
};

}  // namespace pleat::detail::sorting
