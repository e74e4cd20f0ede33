// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace pleat::detail {

/// Which workers each of the ranks of a machine has. A *rank* here is a process; its workers follow
/// those of the rank before it, and so do its virtual processors.
class rank_layout {
 public:
  /// A machine of one process.
  [[nodiscard]] static rank_layout alone(std::size_t workers) { return {0, {workers}}; }

  /// `workers`: of each rank, at least one.
  rank_layout(std::size_t self, const std::vector<std::size_t>& workers) : self_(self) {
    for (const std::size_t count : workers) first_.push_back(first_.back() + count);
  }

  [[nodiscard]] std::size_t self() const noexcept { return self_; }
  [[nodiscard]] std::size_t ranks() const noexcept { return first_.size() - 1; }
  /// Of all ranks together.
  [[nodiscard]] std::size_t workers() const noexcept { return first_.back(); }
  [[nodiscard]] std::size_t first_worker(std::size_t rank) const noexcept { return first_[rank]; }
  [[nodiscard]] std::size_t workers_of(std::size_t rank) const noexcept {
    return first_[rank + 1] - first_[rank];
  }
  [[nodiscard]] std::size_t rank_of(std::size_t worker) const noexcept {
    const auto behind = std::upper_bound(first_.begin(), first_.end(), worker);
    return static_cast<std::size_t>(behind - first_.begin()) - 1;
  }

 private:
  std::size_t self_;
  std::vector<std::size_t> first_{0};  // [rank], and behind the last
};

}  // namespace pleat::detail
