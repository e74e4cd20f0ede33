// SPDX-License-Identifier: Apache-2.0
// End of a link: no rank frees what another still reads or writes, and a rank whose exception is on
// its way out keeps none waiting.
#include <algorithm>
#include <new>
#include <utility>

#include "traffic.hpp"

namespace pleat::mpi {

namespace {

/// Traffic objects to be settled when MPI ends.
std::unique_ptr<traffic>& those_put_off() {
  // Never freed: a program may end without MPI_Finalize.
  static auto& first = *new std::unique_ptr<traffic>;  // NOLINT(cppcoreguidelines-owning-memory)
  return first;
}

}  // namespace

void traffic::begin_to_leave(bool hurried) noexcept {
  for (farewell& one : ours_) one.hurried = hurried ? 1 : 0;
  MPI_Ialltoall(ours_.data(), 2, MPI_UINT64_T, theirs_.data(), 2, MPI_UINT64_T, comm_, &leaving_);
}

bool traffic::clear_away() {
  if (!all_leave_) {
    int told = 0;
    MPI_Test(&leaving_, &told, MPI_STATUS_IGNORE);
    all_leave_ = told != 0;
  }
  static_cast<void>(poll());
  return all_leave_;
}

bool traffic::settled() const noexcept {
  return all_leave_ && sendings_.empty() &&
         std::ranges::equal(received_, theirs_, {}, {}, &farewell::sent);
}

void traffic::begin_again() noexcept {
  for (std::vector<std::uint64_t>* const counts : {&begun_, &received_})
    std::ranges::fill(*counts, 0);
  for (std::vector<farewell>* const ends : {&ours_, &theirs_}) std::ranges::fill(*ends, farewell{});
  all_leave_ = false;
}

bool traffic::in_a_hurry() const noexcept {
  return std::ranges::any_of(theirs_, [](const farewell& one) { return one.hurried != 0; });
}

// MPI_Finalize frees the attributes of MPI_COMM_SELF before anything else, so that messages still
// work. All ranks have come there, if a rank has put off what it left.
void traffic::put_off(std::unique_ptr<traffic> what) noexcept {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, settle_all, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
  what->next_ = std::exchange(those_put_off(), nullptr);
  those_put_off() = std::move(what);
}

// Settles one after the other: other ranks may have put them off in another order.
int traffic::settle_all(MPI_Comm, int, void*, void*) {
  while (those_put_off()) {
    for (std::unique_ptr<traffic>* at = &those_put_off(); *at;) {
      try {
        (*at)->clear_away();
      } catch (const std::bad_alloc&) {
        return MPI_ERR_NO_MEM;  // the rest stays, with its memory
      }
      if ((*at)->settled())
        *at = std::move((*at)->next_);
      else
        at = &(*at)->next_;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace pleat::mpi
