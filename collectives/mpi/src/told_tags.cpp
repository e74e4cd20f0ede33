// SPDX-License-Identifier: Apache-2.0
#include "told_tags.hpp"

#include <algorithm>

#include "failure.hpp"
#include "process.hpp"

namespace pleat::preloaded {

namespace {

/// Tags of this process: the i-th group of them is in use or not.
struct groups_of_tags {
  std::mutex guard;
  std::vector<bool> used;
};
groups_of_tags& groups() {
  static auto& all = *new groups_of_tags;  // NOLINT(cppcoreguidelines-owning-memory)
  return all;
}

/// The lowest group that is not in use; none, -1, if the MPI has no more tags.
int free_group() {
  const int* most = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &found));
  const std::lock_guard lock(groups().guard);
  std::vector<bool>& used = groups().used;
  const auto at = std::ranges::find(used, false);
  const auto group = static_cast<int>(at - used.begin());
  if (found == 0 || group >= *most / told_tags::each) return -1;
  if (at == used.end()) used.push_back(false);
  used[static_cast<std::size_t>(group)] = true;
  return group;
}

}  // namespace

told_tags::told_tags(MPI_Comm comm, std::uint32_t ranks) : first_(ranks + 1) {
  if (const int group = free_group(); group >= 0) mine_ = group * each;
  first_.back() = mine_;
  check(PMPI_Iallgather(&first_.back(), 1, MPI_INT, first_.data(), 1, MPI_INT, comm, &telling_));
}

told_tags::~told_tags() {
  if (!known()) {                             // the MPI still uses this memory
    new std::vector<int>(std::move(first_));  // NOLINT(cppcoreguidelines-owning-memory)
    return;
  }
  if (mine_ == none || kept_) return;
  const std::lock_guard lock(groups().guard);
  groups().used[static_cast<std::size_t>(mine_ / each)] = false;
}

bool told_tags::known() noexcept {
  if (known_.load(std::memory_order_acquire)) return true;
  const std::lock_guard lock(guard_);
  if (telling_ != MPI_REQUEST_NULL) {
    int flag = 0;
    code_ = PMPI_Test(&telling_, &flag, MPI_STATUS_IGNORE);
    if (code_ == MPI_SUCCESS && flag == 0) return false;
  }
  known_.store(true, std::memory_order_release);  // pairs with the load above
  return true;
}

void told_tags::require() const {
  check(code_);
  if (std::ranges::find(first_, int{none}) != first_.end()) throw mpi_failure{MPI_ERR_OTHER};
}

}  // namespace pleat::preloaded
