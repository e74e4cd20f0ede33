// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "engines/engines.hpp"

namespace pleat::preloaded {

/// Memory of one message: one or more runs of contiguous bytes.
class byte_runs {
 public:
  void clear() noexcept {
    runs_.clear();
    bytes_ = 0;
  }
  void add(const part& next) {
    bytes_ += next.bytes;
    if (!runs_.empty() && runs_.back().data + runs_.back().bytes == next.data) {
      runs_.back().bytes += next.bytes;
    } else if (next.bytes != 0) {
      runs_.push_back(next);
    }
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Returns memory for the message: the run itself if there is exactly one, else `staged`,
  /// enlarged if it is too small. `unpack` copies the message from there to its runs.
  [[nodiscard]] std::byte* memory(std::vector<std::byte>& staged) const {
    if (runs_.size() == 1) return runs_.front().data;
    if (staged.size() < bytes_) staged.resize(bytes_);
    return staged.data();
  }
  void unpack(const std::byte* from) const {
    if (runs_.size() == 1) return;
    for (const part& run : runs_) {
      std::memcpy(run.data, from, run.bytes);
      from += run.bytes;
    }
  }

  /// Packs `numbers` and the message after them into `staged`, enlarged if it is too small. Without
  /// numbers a message of exactly one run is not copied: its own memory is returned.
  [[nodiscard]] const std::byte* packed(std::vector<std::byte>& staged,
                                        std::span<const std::size_t> numbers = {}) const {
    if (numbers.empty() && runs_.size() == 1) return runs_.front().data;
    if (staged.size() < numbers.size_bytes() + bytes_) staged.resize(numbers.size_bytes() + bytes_);
    std::byte* to = staged.data();
    if (!numbers.empty()) std::memcpy(to, numbers.data(), numbers.size_bytes());
    to += numbers.size_bytes();
    for (const part& run : runs_) {
      std::memcpy(to, run.data, run.bytes);
      to += run.bytes;
    }
    return staged.data();
  }

 private:
  std::vector<part> runs_;
  std::size_t bytes_ = 0;
};

}  // namespace pleat::preloaded
