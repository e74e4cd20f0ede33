// SPDX-License-Identifier: Apache-2.0
#include "communicator.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <type_traits>
#include <vector>

#include "elements.hpp"
#include "failure.hpp"
#include "settings.hpp"

namespace pleat::preloaded {

namespace {

/// Those alive, for the end of MPI. Its key's values are communicators, or null where the MPI does
/// the work.
struct registry {
  std::mutex guard;
  std::atomic<int> key = MPI_KEYVAL_INVALID;  // written once, under the guard
  std::vector<communicator*> alive;
  MPI_Comm alone = MPI_COMM_NULL;  // this rank's, whose errors are returned
};
registry& all() {
  static registry one;
  return one;
}

int forget(MPI_Comm, int, void* value, void*) {
  auto* const one = static_cast<communicator*>(value);
  {
    const std::lock_guard lock(all().guard);
    std::erase(all().alive, one);
  }
  delete one;
  return MPI_SUCCESS;
}

// MPI_Finalize frees the attributes of MPI_COMM_SELF before anything else, so that messages still
// work; those of MPI_COMM_WORLD it frees too late or never.
int release_all(MPI_Comm, int, void*, void*) {
  const std::lock_guard lock(all().guard);
  for (communicator* const one : all().alive) one->release_own();
  return all().alone == MPI_COMM_NULL ? MPI_SUCCESS : PMPI_Comm_free(&all().alone);
}

// Complains once in a run about what the environment says.
void complain() {
  int rank = 0;
  if (process_settings().complaint.empty()) return;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS || rank != 0) return;
  std::fprintf(stderr, "pleat: %s\n", process_settings().complaint.c_str());
}

/// A communicator of the same ranks. Not by MPI_Comm_dup, which copies the program's attributes by
/// the program's functions.
MPI_Comm made_like(MPI_Comm comm) {
  MPI_Comm like = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  check(PMPI_Comm_group(comm, &group));
  const int made = PMPI_Comm_create(comm, group, &like);
  check(PMPI_Group_free(&group));
  check(made);
  check(PMPI_Comm_set_errhandler(like, MPI_ERRORS_RETURN));
  return like;
}

// MPI_KEYVAL_INVALID while MPI is not at work.
int key_of_attribute() {
  registry& here = all();
  if (const int known = here.key; known != MPI_KEYVAL_INVALID) return known;
  const std::lock_guard lock(here.guard);
  if (const int known = here.key; known != MPI_KEYVAL_INVALID) return known;
  int begun = 0;
  int ended = 0;
  check(PMPI_Initialized(&begun));
  check(PMPI_Finalized(&ended));
  if (begun == 0 || ended != 0) return MPI_KEYVAL_INVALID;
  int key = MPI_KEYVAL_INVALID;
  int ending = MPI_KEYVAL_INVALID;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, nullptr));
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release_all, &ending, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, ending, nullptr));
  here.alone = made_like(MPI_COMM_SELF);
  complain();
  here.key = key;
  return key;
}

bool spans_nodes(MPI_Comm comm, int ranks) {
  MPI_Comm node = MPI_COMM_NULL;
  int neighbours = 0;
  check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  check(PMPI_Comm_size(node, &neighbours));
  check(PMPI_Comm_free(&node));
  int fewest = 0;
  check(PMPI_Allreduce(&neighbours, &fewest, 1, MPI_INT, MPI_MIN, comm));
  return fewest < ranks;
}

}  // namespace

communicator* communicator::of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  const int key = key_of_attribute();
  if (key == MPI_KEYVAL_INVALID) return nullptr;
  void* value = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(comm, key, static_cast<void*>(&value), &found));
  if (found != 0) return static_cast<communicator*>(value);
  int between_groups = 0;
  int ranks = 0;
  check(PMPI_Comm_test_inter(comm, &between_groups));
  check(PMPI_Comm_size(comm, &ranks));
  std::unique_ptr<communicator> made;
  if (between_groups == 0 && ranks > 1) {
    made = std::make_unique<communicator>(comm, static_cast<std::uint32_t>(ranks));
    const std::lock_guard lock(all().guard);
    all().alive.push_back(made.get());
  }
  check(PMPI_Comm_set_attr(comm, key, made.get()));
  return made.release();
}

// None of a type is packed: that has the MPI look at the type, and only that.
bool communicator::may_send(MPI_Datatype type) noexcept {
  try {
    if (key_of_attribute() == MPI_KEYVAL_INVALID) return true;
    if (type_envelope(type).combiner == MPI_COMBINER_NAMED) return true;
    char none = 0;
    int place = 0;
    return PMPI_Pack(&none, 0, type, &none, 0, &place, all().alone) == MPI_SUCCESS;
  } catch (const mpi_failure&) {
    return false;
  }
}

communicator::communicator(MPI_Comm comm, std::uint32_t ranks) : comm_(comm), graph_(ranks) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank));
  rank_ = static_cast<std::uint32_t>(rank);
  agree();
}

communicator::~communicator() { release_own(); }

void communicator::release_own() noexcept {
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
  own_ = MPI_COMM_NULL;
}

// Rank 0's environment decides: the others' may differ.
void communicator::agree() {
  static_assert(std::is_trivially_copyable_v<choice>);
  choice_ = process_settings().for_ranks(size());
  check(PMPI_Bcast(&choice_, static_cast<int>(sizeof choice_), MPI_BYTE, 0, comm_));
  if (!choice_.by_nodes) return;
  if (std::ranges::all_of(choice_.sizes, [](std::uint64_t sizes) { return sizes == 0; })) return;
  if (!spans_nodes(comm_, static_cast<int>(size()))) choice_.sizes = {};
}

MPI_Comm communicator::own() {
  if (own_ == MPI_COMM_NULL) own_ = made_like(comm_);
  return own_;
}

const circulant_schedule& communicator::schedule(std::uint32_t root) {
  if (scheduled_root_ != root) {
    schedule_ = graph_.schedule(rank_ >= root ? rank_ - root : rank_ + (size() - root));
    scheduled_root_ = root;
  }
  return schedule_;
}

const circulant_table& communicator::table() {
  if (table_ == nullptr) table_ = std::make_unique<circulant_table>(graph_);
  return *table_;
}

}  // namespace pleat::preloaded
