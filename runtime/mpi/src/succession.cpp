// SPDX-License-Identifier: Apache-2.0
#include "succession.hpp"

#include <utility>

#include "check.hpp"

namespace pleat::mpi {

// The value is a shared_ptr of its own for each of two attributes. MPI_Finalize frees those of
// MPI_COMM_SELF before anything else, so that communicators can still be freed.
std::shared_ptr<succession> succession::of(MPI_Comm processes) {
  using handle = std::shared_ptr<succession>;
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &made, nullptr));
    return made;
  }();
  void* value = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(processes, key, static_cast<void*>(&value), &found));
  if (found != 0) return *static_cast<handle*>(value);
  int ending = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &ending, nullptr));
  const auto made = std::make_shared<succession>();
  check(MPI_Comm_set_attr(MPI_COMM_SELF, ending, new handle(made)));
  check(MPI_Comm_set_attr(processes, key, new handle(made)));
  check(MPI_Comm_free_keyval(&ending));
  return made;
}

int succession::end(MPI_Comm, int, void* value, void*) {
  auto* const at = static_cast<std::shared_ptr<succession>*>(value);
  (*at)->ended_ = true;
  (*at)->idle_.reset();
  (*at)->here_.reset();
  delete at;
  return MPI_SUCCESS;
}

int succession::left_for(bool reads) const noexcept {
  return idle_ && reads == reads_ ? idle_->number() : -1;
}

void succession::renew(MPI_Comm processes, const topology& host, bool reads) {
  idle_.reset();
  here_.reset();
  here_.emplace(processes);
  idle_ =
      std::make_unique<traffic>(here_->side_by_side(processes), here_->processes(), reads, made_++);
  overlaps_ = here_->overlaps(host);
  reads_ = reads;
}

void succession::give_back(std::unique_ptr<traffic> what) noexcept {
  if (ended_) return;
  what->begin_again();
  idle_ = std::move(what);
}

}  // namespace pleat::mpi
