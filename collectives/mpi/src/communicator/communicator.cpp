// SPDX-License-Identifier: Apache-2.0
#include "communicator/communicator.hpp"

#include "data/elements.hpp"
#include "errors/errors.hpp"

namespace pleat::preloaded {

namespace {

/// Value of the attribute.
struct attached {
  std::shared_ptr<agreement> with;
  std::shared_ptr<told_tags> tags;         // null if no call may be ours
  std::unique_ptr<communicator> blocking;  // null with them
};

/// Finds or makes the attribute; null before begin().
attached* attached_to(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || !begun()) return nullptr;
  void* value = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(comm, here().key, static_cast<void*>(&value), &found));
  if (found != 0) return static_cast<attached*>(value);
  auto made = std::make_unique<attached>();
  made->with = std::make_shared<agreement>(comm);
  check(PMPI_Comm_set_attr(comm, here().key, made.get()));
  return made.release();
}

}  // namespace

void communicator::made(MPI_Comm comm) {
  if (!here().has_ours) return;
  attached* const all = attached_to(comm);
  if (all == nullptr || !all->with->chosen().any()) return;
  auto tags = std::make_shared<told_tags>(all->with->rank(), all->with->graph().processors());
  auto blocking = std::make_unique<communicator>(all->with, tags);
  tags->tell(comm);
  all->tags = std::move(tags);
  all->blocking = std::move(blocking);
}

communicator* communicator::of(MPI_Comm comm) {
  const attached* const all = here().has_ours ? attached_to(comm) : nullptr;
  return all == nullptr ? nullptr : all->blocking.get();
}

std::unique_ptr<communicator> communicator::not_blocking(MPI_Comm comm) {
  if (!here().has_non_blocking) return nullptr;
  const attached* const all = attached_to(comm);
  if (all == nullptr || all->tags == nullptr) return nullptr;
  auto made = std::make_unique<communicator>(all->with, all->tags);
  made->blocks_ = false;
  return made;
}

agreement* communicator::shared(MPI_Comm comm) {
  const attached* const all = attached_to(comm);
  return all == nullptr ? nullptr : all->with.get();
}

bool communicator::may_have_running_calls(MPI_Comm comm) {
  try {
    const agreement* const with = here().has_non_blocking ? shared(comm) : nullptr;
    return with != nullptr && with->all_here();
  } catch (const mpi_failure&) {
    return false;  // the MPI says what is wrong
  }
}

void communicator::keep_tags(MPI_Comm comm) noexcept {
  try {
    const attached* const all = attached_to(comm);
    if (all != nullptr && all->tags != nullptr) all->tags->keep();
  } catch (...) {
    static_cast<void>(code_of_exception());  // such a communicator has none
  }
}

int communicator::forget(MPI_Comm, int, void* value, void*) {
  auto* const all = static_cast<attached*>(value);
  all->with->forget_comm();
  delete all;
  return MPI_SUCCESS;
}

// Packs zero elements of the type, which makes the MPI check the type and nothing else.
bool communicator::may_send(MPI_Datatype type) {
  try {
    if (!begun()) return true;
    if (type_envelope(type).combiner == MPI_COMBINER_NAMED) return true;
    char nothing = 0;
    int place = 0;
    return PMPI_Pack(&nothing, 0, type, &nothing, 0, &place, own()) == MPI_SUCCESS;
  } catch (const mpi_failure&) {
    return false;
  }
}

const circulant_schedule& communicator::schedule(std::uint32_t root) {
  if (scheduled_root_ != root) {
    schedule_ = graph().schedule(rank() >= root ? rank() - root : rank() + (size() - root));
    scheduled_root_ = root;
  }
  return schedule_;
}

void communicator::prepare() {
  if (prepared_) return;
  tags_->require();
  prepared_ = true;
}

void communicator::complete(const task& work) {
  for (suspended_.begin(work); !work.has_ended(); suspended_.resume()) {
    progress_until([&] { return suspended_.may_resume(); });
  }
  work.result();
}

void communicator::take_number() noexcept {
  number_ = with_->next_number();
  tag_ = 1 + static_cast<int>(*number_ % agreement::at_once);
}

}  // namespace pleat::preloaded
