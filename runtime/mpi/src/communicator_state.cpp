// SPDX-License-Identifier: Apache-2.0
#include "communicator_state.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "check.hpp"

namespace pleat::mpi {

namespace {

/// All states of the process, in the order in which they were made.
struct registry {
  std::mutex guard;
  std::vector<communicator_state*> all;
};
registry& known() {
  static auto& one = *new registry;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

}  // namespace

communicator_state::communicator_state() {
  const std::lock_guard lock(known().guard);
  known().all.push_back(this);
}

communicator_state::~communicator_state() {
  const std::lock_guard lock(known().guard);
  std::erase(known().all, this);
}

// The value is a shared_ptr of its own. MPI_Finalize frees the attributes of MPI_COMM_SELF before
// anything else, so that communicators can still be freed.
std::shared_ptr<communicator_state> communicator_state::of(MPI_Comm processes) {
  using handle = std::shared_ptr<communicator_state>;
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID, ending = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_one, &made, nullptr));
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_all, &ending, nullptr));
    check(MPI_Comm_set_attr(MPI_COMM_SELF, ending, nullptr));
    check(MPI_Comm_free_keyval(&ending));
    return made;
  }();
  void* value = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(processes, key, static_cast<void*>(&value), &found));
  if (found != 0) return *static_cast<handle*>(value);
  auto made = std::make_unique<handle>(std::make_shared<communicator_state>());
  check(MPI_Comm_set_attr(processes, key, made.get()));
  return *made.release();
}

int communicator_state::end_one(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<std::shared_ptr<communicator_state>> at(
      static_cast<std::shared_ptr<communicator_state>*>(value));
  (*at)->end();
  return MPI_SUCCESS;
}

// The last one first.
int communicator_state::end_all(MPI_Comm, int, void*, void*) {
  const std::lock_guard lock(known().guard);
  for (auto one = known().all.rbegin(); one != known().all.rend(); ++one) (*one)->end();
  return traffic::settle_those_put_off();
}

void communicator_state::end() noexcept {
  ended_ = true;
  drop();
  here_.reset();
}

void communicator_state::drop() noexcept {
  if (idle_ && leaving_) return traffic::put_off(std::move(idle_));
  idle_.reset();
}

int communicator_state::left_for(const topology& host, bool reads) const noexcept {
  const bool same = idle_ && reads == reads_ && host.units().data() == host_->units().data();
  return same ? idle_->number() : -1;
}

void communicator_state::renew(MPI_Comm processes, const topology& host, bool reads) {
  drop();
  here_.reset();
  here_.emplace(processes);
  idle_ =
      std::make_unique<traffic>(here_->side_by_side(processes), here_->processes(), reads, made_++);
  leaving_ = false;
  overlaps_ = here_->overlaps(host);
  host_ = host;
  reads_ = reads;
}

void communicator_state::give_back(std::unique_ptr<traffic> what) noexcept {
  if (ended_) return traffic::put_off(std::move(what));
  drop();
  idle_ = std::move(what);
  leaving_ = true;
}

void communicator_state::settle() {
  if (!leaving_) return;
  while (!idle_->settled()) {
  }
  idle_->begin_again();
  leaving_ = false;
}

}  // namespace pleat::mpi
