// SPDX-License-Identifier: Apache-2.0
#include "communicator/told_tags.hpp"

#include <algorithm>
#include <mutex>

#include "communicator/process.hpp"
#include "errors/errors.hpp"

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

told_tags::told_tags(std::uint32_t rank, std::uint32_t ranks) : first_(ranks, none) {
  if (const int group = free_group(); group >= 0) mine_ = group * each;
  first_[rank] = mine_;
}

told_tags::~told_tags() {
  if (mine_ == none || kept_) return;
  const std::lock_guard lock(groups().guard);
  groups().used[static_cast<std::size_t>(mine_ / each)] = false;
}

void told_tags::tell(MPI_Comm comm) {
  check(PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, first_.data(), 1, MPI_INT, comm));
  set_known();
}

void told_tags::require() const {
  if (std::ranges::find(first_, int{none}) != first_.end()) throw mpi_failure{MPI_ERR_OTHER};
}

}  // namespace pleat::preloaded
