// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "with_number.hpp"

namespace pleat::arrays {

// Order of float16, which no arithmetic type has: that of a 16-bit integer, negative numbers
// mirrored, then turned so that the NaNs of either sign come last.

/// Place of a number in the order in which zeros are equal, and NaNs, which are last.
[[nodiscard]] inline std::int32_t half_rank(half h) {
  const std::int32_t magnitude = h.bits & 0x7fff;
  if (magnitude > 0x7c00) return 0x7fff;
  return (h.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// Halves as integers of their order; as long as it lives, also if sorting them throws.
class halves_as_integers {
 public:
  explicit halves_as_integers(std::span<std::uint16_t> halves) noexcept : halves_(halves) {
    for (auto& half : halves_) half = static_cast<std::uint16_t>(mirrored(half) - least);
  }
  halves_as_integers(const halves_as_integers&) = delete;
  halves_as_integers& operator=(const halves_as_integers&) = delete;
  ~halves_as_integers() {
    for (auto& half : halves_) {
      const auto bits = static_cast<std::uint16_t>(half + least);
      half = static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? bits & 0x7fffU : ~bits);
    }
  }

 private:
  static constexpr std::uint16_t mirrored(std::uint16_t bits) {
    return static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? ~bits : bits | 0x8000U);
  }
  static constexpr std::uint16_t minus_infinity = 0xfc00;
  static constexpr std::uint16_t least = static_cast<std::uint16_t>(~minus_infinity);  // mirrored

  std::span<std::uint16_t> halves_;
};

}  // namespace pleat::arrays
