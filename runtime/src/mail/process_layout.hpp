// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace pleat::detail {

/// Distribution of a machine's workers over its processes. The workers of a process follow those of
/// the previous process, and so do its virtual processors.
class process_layout {
 public:
  /// Layout of a machine of one process.
  [[nodiscard]] static process_layout alone(std::size_t workers) { return {0, {workers}}; }

  /// `workers`: number of workers of each process, at least one.
  process_layout(std::size_t self, const std::vector<std::size_t>& workers) : self_(self) {
    for (const std::size_t count : workers) first_.push_back(first_.back() + count);
  }

  [[nodiscard]] std::size_t self() const noexcept { return self_; }
  [[nodiscard]] std::size_t processes() const noexcept { return first_.size() - 1; }
  /// Number of workers of all processes together.
  [[nodiscard]] std::size_t workers() const noexcept { return first_.back(); }
  [[nodiscard]] std::size_t first_worker(std::size_t process) const noexcept {
    return first_[process];
  }
  [[nodiscard]] std::size_t workers_of(std::size_t process) const noexcept {
    return first_[process + 1] - first_[process];
  }
  [[nodiscard]] std::size_t process_of(std::size_t worker) const noexcept {
    const auto behind = std::upper_bound(first_.begin(), first_.end(), worker);
    return static_cast<std::size_t>(behind - first_.begin()) - 1;
  }

 private:
  std::size_t self_;
  std::vector<std::size_t> first_{0};  // [process], and behind the last
};

}  // namespace pleat::detail
