// SPDX-License-Identifier: Apache-2.0
#include "communicator_state.hpp"

#include <mutex>
#include <new>

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

// End of a link: no rank frees what another still reads or writes, and none waits for another
// before all of them make the next machine, or end MPI.

namespace {

/// Traffic that is settled when MPI ends. Threads may put off that of their own communicators.
struct list {
  std::mutex guard;
  std::unique_ptr<traffic> first;
};
list& those_put_off() {
  // Never freed: a program may end without MPI_Finalize.
  static auto& all = *new list;  // NOLINT(cppcoreguidelines-owning-memory)
  return all;
}

}  // namespace

void traffic::begin_to_leave() noexcept {
  MPI_Ialltoall(ours_.data(), 1, MPI_UINT64_T, theirs_.data(), 1, MPI_UINT64_T, comm_, &leaving_);
}

bool traffic::settled() {
  if (!all_leave_) {
    int told = 0;
    MPI_Test(&leaving_, &told, MPI_STATUS_IGNORE);
    all_leave_ = told != 0;
  }
  static_cast<void>(poll());
  return all_leave_ && sendings_.empty() && received_ == theirs_;
}

void traffic::begin_again() noexcept {
  for (std::vector<std::uint64_t>* const counts : {&begun_, &received_, &ours_, &theirs_})
    std::ranges::fill(*counts, 0);
  all_leave_ = false;
  link::begin_again();
}

void traffic::put_off(std::unique_ptr<traffic> what) noexcept {
  const std::lock_guard lock(those_put_off().guard);
  what->next_ = std::exchange(those_put_off().first, nullptr);
  those_put_off().first = std::move(what);
}

// Goes from one to the other: other ranks may have put them off in another order.
int traffic::settle_those_put_off() noexcept {
  const std::lock_guard lock(those_put_off().guard);
  while (those_put_off().first) {
    for (std::unique_ptr<traffic>* at = &those_put_off().first; *at;) {
      try {
        if ((*at)->settled())
          *at = std::move((*at)->next_);
        else
          at = &(*at)->next_;
      } catch (const std::bad_alloc&) {
        return MPI_ERR_NO_MEM;  // the rest stays, with its memory
      }
    }
  }
  return MPI_SUCCESS;
}

}  // namespace pleat::mpi
