// SPDX-License-Identifier: Apache-2.0
// End of a link: no rank frees what another still reads or writes, and none waits for another
// before all of them make the next machine, or end MPI.
#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "traffic.hpp"

namespace pleat::mpi {

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
