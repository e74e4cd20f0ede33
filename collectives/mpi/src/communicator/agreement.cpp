// SPDX-License-Identifier: Apache-2.0
#include "communicator/agreement.hpp"

#include <algorithm>
#include <bit>

#include <pleat/collectives/index_schedule.hpp>

#include "communicator/process.hpp"
#include "errors/errors.hpp"
#include "settings/settings.hpp"

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

std::uint32_t size_of(MPI_Comm comm) {
  int ranks = 0;
  check(PMPI_Comm_size(comm, &ranks));
  return static_cast<std::uint32_t>(ranks);
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

agreement::agreement(MPI_Comm comm) : comm_(comm), graph_(size_of(comm)) {
  int rank = 0, between_groups = 0;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_test_inter(comm, &between_groups));
  rank_ = static_cast<std::uint32_t>(rank);
  all_here_ = all_are_here(comm, &places_);
  if (!all_here_ || between_groups != 0 || places_.size() == 1) return;
  std::vector<int> nodes;
  for (const int place : places_) nodes.push_back(here().nodes[static_cast<std::size_t>(place)]);
  choice_ = process_settings().for_nodes(nodes);
}

const circulant_table& agreement::table() {
  std::call_once(has_table_, [&] { table_ = std::make_unique<circulant_table>(graph_); });
  return *table_;
}

std::size_t agreement::radix(std::size_t bytes) {
  const std::size_t ranks = graph_.processors();
  if (choice_.radix != 0) return std::clamp<std::size_t>(choice_.radix, 2, ranks);
  // Relaxed: every thread finds the same radix.
  std::atomic<std::size_t>& known = radices_[static_cast<std::size_t>(std::bit_width(bytes))];
  std::size_t radix = known.load(std::memory_order_relaxed);
  if (radix == 0) {
    radix = best_index_radix(ranks, 1, std::bit_floor(bytes),
                             {choice_.cost.start, choice_.cost.per_byte});
    known.store(radix, std::memory_order_relaxed);
  }
  return radix;
}

std::size_t agreement::radix(std::size_t partners, std::size_t bytes) {
  const std::size_t ranks = graph_.processors();
  const std::size_t each = (bytes - 1) / ranks + 1 + sizeof(std::size_t);  // with its size
  const std::size_t best = radix(each);
  if (choice_.radix != 0) return best;
  const index_schedule schedule(ranks, best, 1);
  const auto time_s = [&](std::size_t messages, std::size_t sent) {
    return choice_.cost.start * static_cast<double>(messages) +
           choice_.cost.per_byte * static_cast<double>(sent);
  };
  const bool straight =
      time_s(partners, bytes) <= time_s(schedule.rounds(), schedule.volume() * each);
  return straight ? ranks : best;
}

}  // namespace pleat::preloaded
