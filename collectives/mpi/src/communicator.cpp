// SPDX-License-Identifier: Apache-2.0
#include "communicator.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <type_traits>

#include <pleat/collectives/index_schedule.hpp>

#include "elements.hpp"
#include "failure.hpp"
#include "settings.hpp"
#include "tally.hpp"

namespace pleat::preloaded {

namespace {

/// State that begin() makes.
struct process {
  int key = MPI_KEYVAL_INVALID;  // its values: a communicator, or null where the MPI does the work
  MPI_Comm own = MPI_COMM_NULL;
  int rank = 0;  // in it
  int node = 0;  // the first rank of this one's node
  std::mutex guard;
  std::vector<bool> tags;  // those in use
};
process& here() {
  static auto& one = *new process;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

int forget(MPI_Comm, int, void* value, void*) {
  delete static_cast<communicator*>(value);
  return MPI_SUCCESS;
}

int first_of_node(int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  check(PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  check(PMPI_Bcast(&rank, 1, MPI_INT, 0, node));
  check(PMPI_Comm_free(&node));
  return rank;
}

/// Makes a communicator of the same ranks. MPI_Comm_dup is avoided, because it calls the program's
/// functions that copy attributes.
MPI_Comm made_like(MPI_Comm comm) {
  MPI_Comm like = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  check(PMPI_Comm_group(comm, &group));
  check(PMPI_Comm_create(comm, group, &like));
  check(PMPI_Group_free(&group));
  check(PMPI_Comm_set_errhandler(like, MPI_ERRORS_RETURN));
  return like;
}

/// The lowest tag that no communicator of this process has; none if the MPI has no more.
int free_tag() {
  const int* most = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &found));
  const std::lock_guard lock(here().guard);
  std::vector<bool>& tags = here().tags;
  const auto at = std::ranges::find(tags, false);
  if (at == tags.end() && (found == 0 || tags.size() > static_cast<std::size_t>(*most))) return -1;
  const auto tag = static_cast<int>(at - tags.begin());
  if (at == tags.end()) tags.push_back(false);
  tags[static_cast<std::size_t>(tag)] = true;
  return tag;
}

}  // namespace

void begin() noexcept {
  try {
    check(PMPI_Comm_rank(MPI_COMM_WORLD, &here().rank));
    if (here().rank == 0) {
      const settings& asked = process_settings();
      if (!asked.complaint.empty()) std::fprintf(stderr, "pleat: %s\n", asked.complaint.c_str());
      if (asked.report) report_at_exit();
    }
    // A world of one rank has it too: processes that it starts may be in a communicator with it.
    here().node = first_of_node(here().rank);
    here().own = made_like(MPI_COMM_WORLD);
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &here().key, nullptr));
  } catch (const mpi_failure&) {
    here().key = MPI_KEYVAL_INVALID;  // all calls are the MPI's
  }
}

communicator* communicator::of(MPI_Comm comm) {
  const int key = here().key;
  if (comm == MPI_COMM_NULL || key == MPI_KEYVAL_INVALID) return nullptr;
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
  }
  check(PMPI_Comm_set_attr(comm, key, made.get()));
  return made.release();
}

// Packs zero elements of the type, which makes the MPI check the type and nothing else.
bool communicator::may_send(MPI_Datatype type) noexcept {
  try {
    if (here().key == MPI_KEYVAL_INVALID) return true;
    if (type_envelope(type).combiner == MPI_COMBINER_NAMED) return true;
    char nothing = 0;
    int place = 0;
    return PMPI_Pack(&nothing, 0, type, &nothing, 0, &place, own()) == MPI_SUCCESS;
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

communicator::~communicator() { give_tag_back(); }

void communicator::give_tag_back() noexcept {
  if (tag_ == none) return;
  const std::lock_guard lock(here().guard);
  here().tags[static_cast<std::size_t>(tag_)] = false;
  tag_ = none;
}

// Takes the choice of rank 0 for all ranks, because their environments may differ.
void communicator::agree() {
  static_assert(std::is_trivially_copyable_v<choice>);
  choice_ = process_settings().for_ranks(size());
  check(PMPI_Bcast(&choice_, static_cast<int>(sizeof choice_), MPI_BYTE, 0, comm_));
  if (std::ranges::all_of(choice_.sizes, [](std::uint64_t sizes) { return sizes == 0; })) return;
  tag_ = all_are_here() ? free_tag() : none;
  const member mine{here().rank, tag_, here().node};
  members_.resize(size());
  check(
      PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, members_.data(), sizeof mine, MPI_BYTE, comm_));
  const auto on_one_node = [&](const member& one) { return one.node == members_.front().node; };
  if (std::ranges::find(members_, int{none}, &member::tag) != members_.end() ||
      (choice_.by_nodes && std::ranges::all_of(members_, on_one_node))) {
    choice_.sizes = {};
    give_tag_back();
  }
}

/// Tells whether all are in this MPI_COMM_WORLD: not if some were started later, or elsewhere.
bool communicator::all_are_here() const {
  MPI_Group these = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  check(PMPI_Comm_group(comm_, &these));
  check(PMPI_Comm_group(own(), &all));
  std::vector<int> ranks(size());
  std::vector<int> places(size());
  std::iota(ranks.begin(), ranks.end(), 0);
  check(PMPI_Group_translate_ranks(these, static_cast<int>(ranks.size()), ranks.data(), all,
                                   places.data()));
  check(PMPI_Group_free(&these));
  check(PMPI_Group_free(&all));
  return std::ranges::find(places, MPI_UNDEFINED) == places.end();
}

MPI_Comm communicator::own() noexcept { return here().own; }

const circulant_schedule& communicator::schedule(std::uint32_t root) {
  if (scheduled_root_ != root) {
    schedule_ = graph_.schedule(rank_ >= root ? rank_ - root : rank_ + (size() - root));
    scheduled_root_ = root;
  }
  return schedule_;
}

std::size_t communicator::radix(std::size_t bytes) {
  if (choice_.radix != 0) return std::clamp<std::size_t>(choice_.radix, 2, size());
  std::size_t& radix = radices_[static_cast<std::size_t>(std::bit_width(bytes))];
  if (radix == 0) {
    radix = best_index_radix(size(), 1, std::bit_floor(bytes),
                             {choice_.cost.start, choice_.cost.per_byte});
  }
  return radix;
}

std::size_t communicator::radix(std::size_t partners, std::size_t bytes) {
  const std::size_t each = (bytes - 1) / size() + 1 + sizeof(std::size_t);  // with its size
  const std::size_t best = radix(each);
  if (choice_.radix != 0) return best;
  const index_schedule schedule(size(), best, 1);
  const auto time_s = [&](std::size_t messages, std::size_t sent) {
    return choice_.cost.start * static_cast<double>(messages) +
           choice_.cost.per_byte * static_cast<double>(sent);
  };
  const bool straight =
      time_s(partners, bytes) <= time_s(schedule.rounds(), schedule.volume() * each);
  return straight ? size() : best;
}

std::array<std::size_t, 2> communicator::largest(std::array<std::size_t, 2> mine) const {
  std::array<std::size_t, 2> most{};
  check(PMPI_Allreduce(mine.data(), most.data(), 2, MPI_UINT64_T, MPI_MAX, comm_));
  return most;
}

const circulant_table& communicator::table() {
  if (table_ == nullptr) table_ = std::make_unique<circulant_table>(graph_);
  return *table_;
}

}  // namespace pleat::preloaded
