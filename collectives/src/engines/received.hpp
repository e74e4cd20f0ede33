// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

#include <pleat/collectives/collective_options.hpp>

namespace pleat::detail {

/// Copies `bytes` bytes that are this rank's own, unless they are in their place already.
inline void copy(std::byte* to, const std::byte* from, std::size_t bytes,
                 collective_traffic& traffic) {
  if (bytes == 0 || to == from) return;
  std::memcpy(to, from, bytes);
  ++traffic.copies;
}

/// Copies a block of another rank's to its place.
inline void receive(std::byte* to, const std::byte* from, std::size_t bytes,
                    collective_traffic& traffic) {
  if (bytes == 0) return;
  copy(to, from, bytes, traffic);
  ++traffic.blocks;
  traffic.bytes += bytes;
}

/// Counts a block that was copied when it arrived.
inline void count_received(collective_traffic& traffic, std::size_t bytes) {
  ++traffic.blocks;
  traffic.bytes += bytes;
  ++traffic.copies;
}

/// Counts what an operation does, for whoever asked.
class counting {
 public:
  explicit counting(const collective_options& options) : wanted_(options.traffic) {}
  counting(const counting&) = delete;
  counting& operator=(const counting&) = delete;
  ~counting() {
    if (wanted_ != nullptr) *wanted_ = traffic;
  }
  collective_traffic traffic;

 private:
  collective_traffic* wanted_;
};

}  // namespace pleat::detail
