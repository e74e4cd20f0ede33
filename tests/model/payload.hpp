// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace model {

/// The bytes of a scripted message: its seed, as much of it as fits, then what follows from it.
inline std::vector<std::byte> payload_of(std::uint64_t seed, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(seed * (i + 1) >> 9);
  if (size != 0) std::memcpy(bytes.data(), &seed, std::min(size, sizeof seed));
  return bytes;
}

/// Seed as far as a receiver can know it: the part that was sent.
inline std::uint64_t seen_of(std::span<const std::byte> bytes) {
  std::uint64_t seed = 0;
  if (!bytes.empty()) std::memcpy(&seed, bytes.data(), std::min(bytes.size(), sizeof seed));
  return seed;
}
inline std::uint64_t seen_of(std::uint64_t seed, std::size_t size) {
  return size < sizeof seed ? seed & ((std::uint64_t{1} << 8 * size) - 1) : seed;
}

/// Tells whether these are the bytes that `payload_of` made. Those too short to name their seed
/// pass.
inline bool intact(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(std::uint64_t)) return true;
  return std::ranges::equal(bytes, payload_of(seen_of(bytes), bytes.size()));
}

}  // namespace model
