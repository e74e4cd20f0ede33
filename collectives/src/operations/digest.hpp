// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/collectives/detail/layout.hpp>

#include "engine_table.hpp"

/// One number of what all ranks must choose alike. Of different choices it differs, nearly always;
/// every message carries it, so that ranks that do not agree find out.
namespace pleat::detail {

/// Digest of two numbers that all ranks must choose alike.
[[nodiscard]] inline std::uint64_t digest(std::size_t a, std::size_t b) noexcept {
  return std::uint64_t{a} << 32 ^ b;
}

/// Digest of three: `by` is the engine.
[[nodiscard]] inline std::uint64_t digest(std::size_t a, std::size_t b, engine by) noexcept {
  return (digest(a, b) ^ static_cast<std::uint64_t>(by)) * 0xd6e8feb86659fd93;
}

/// Digest of the sizes of parts.
[[nodiscard]] inline std::uint32_t digest(const layout& parts) noexcept {
  std::uint64_t mixed = parts.each;
  for (const std::size_t end : parts.ends) mixed = (mixed ^ mixed >> 32 ^ end) * 0x9e3779b97f4a7c15;
  return static_cast<std::uint32_t>(mixed >> 32 ^ mixed);
}

}  // namespace pleat::detail
