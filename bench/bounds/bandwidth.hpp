// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pleat::bench {

/// The bound that memory sets: the time in which so many bytes are read and so many written by code
/// that does nothing else. By one thread or by all, through the caches or past them: whichever was
/// fastest when it was tried.
class bandwidth {
 public:
  /// `written` may be memory that is read. Requires: aligned to lines of 64 bytes, of which whole
  /// ones count; at least as much is read as written.
  bandwidth(std::span<const std::byte> read, std::span<const std::byte> read_besides,
            std::span<std::byte> written, unsigned threads);

  /// Tries all ways, and keeps the fastest.
  void choose();
  /// The seconds of one time, of several that follow each other.
  [[nodiscard]] double sample() const;

 private:
  /// Returns a value, so that the reads are not left out.
  std::uint64_t move() const;
  [[nodiscard]] double seconds_of(std::size_t times) const;

  std::span<const std::byte> read_, besides_;
  std::span<std::byte> written_;
  unsigned threads_;
  bool past_caches_ = false;
};

}  // namespace pleat::bench
