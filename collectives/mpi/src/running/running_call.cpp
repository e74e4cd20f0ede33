// SPDX-License-Identifier: Apache-2.0
#include "running/running_call.hpp"

#include <bit>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "communicator/process.hpp"
#include "errors/errors.hpp"

namespace pleat::preloaded {

namespace {

struct tags {
  std::mutex guard;
  std::vector<int> free;
  int next = 0;
};
tags& all_tags() {
  static auto& one = *new tags;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

/// The calls that are running, and those that have not their turn yet. The lock is held while one
/// of them goes on; it is recursive, because functions of the program that calls use may
/// begin others.
struct running_calls {
  std::recursive_mutex guard;
  bool advancing = false;
  std::vector<std::shared_ptr<running_call>> all;
  std::map<std::pair<const agreement*, std::uint64_t>, std::shared_ptr<running_call>> later;
};
running_calls& calls() {
  static auto& one = *new running_calls;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

}  // namespace

own_request::own_request() {
  const std::lock_guard lock(all_tags().guard);
  if (all_tags().free.empty()) {
    tag_ = all_tags().next++;
    all_tags().free.reserve(std::bit_ceil(static_cast<std::size_t>(tag_) + 1));  // the end has room
  } else {
    tag_ = all_tags().free.back();
    all_tags().free.pop_back();
  }
}

own_request::~own_request() {
  const std::lock_guard lock(all_tags().guard);
  all_tags().free.push_back(tag_);
}

MPI_Request own_request::active() const {
  MPI_Request made = MPI_REQUEST_NULL;
  check(PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, tag_, here().itself, &made));
  return made;
}

MPI_Request own_request::persistent() const {
  MPI_Request made = MPI_REQUEST_NULL;
  check(PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag_, here().itself, &made));
  return made;
}

void own_request::complete(bool failed) const noexcept {
  const char too_long = 0;
  PMPI_Send(&too_long, failed ? 1 : 0, MPI_BYTE, 0, tag_, here().itself);
}

void advance() noexcept {
  if (!others_run()) return;
  const std::unique_lock lock(calls().guard, std::try_to_lock);
  if (!lock || calls().advancing) return;
  calls().advancing = true;
  auto& all = calls().all;
  for (std::size_t i = 0; i < all.size();) {
    const std::shared_ptr<running_call> call = all[i];
    if (!call->go_on()) {
      ++i;
      continue;
    }
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    call->end();
  }
  calls().advancing = false;
}

bool any_call_runs() noexcept {
  const std::lock_guard lock(calls().guard);
  return !calls().all.empty() || !calls().later.empty();
}

void running_call::start(const std::shared_ptr<running_call>& call) noexcept {
  const std::lock_guard lock(calls().guard);
  static const bool with_threads = here().with_threads;
  static bool first = true;
  calls_running += with_threads && first ? 2 : 1;
  first = false;
  ++call->on_->with().running;
  call->code_ = MPI_SUCCESS;
  try {
    auto& [guard, advancing, all, later] = calls();
    all.reserve(std::bit_ceil(all.size() + later.size() + 1));  // room for the later ones
    const agreement& with = call->on_->with();
    const auto number = call->on_->number();
    if (number && !with.has_turn(*number)) {
      later.emplace(std::pair(&with, *number), call);
      return;
    }
    if (call->go_on()) return call->end();
    all.push_back(call);
  } catch (...) {
    call->code_ = code_of_exception();
    call->end();
  }
}

bool running_call::go_on() noexcept {
  try {
    if (!running_) {
      if (!on_->may_begin()) return false;
      running_.emplace(work_());
      on_->suspended().begin(*running_);
    }
    if (!on_->suspended().may_resume()) return false;
    on_->suspended().resume();
    if (!running_->has_ended()) return false;
    running_->result();
  } catch (...) {
    code_ = code_of_exception();
  }
  return true;
}

void running_call::end() noexcept {
  running_.reset();
  if (code_ != MPI_SUCCESS) {
    on_->keep_tags();
    report_failure(on_->with().comm(), code_);
  }
  if (const auto number = on_->number()) {
    on_->with().end_turn(*number);
    auto& later = calls().later;
    const auto next = later.find({&on_->with(), *number + agreement::at_once});
    if (next != later.end()) {
      calls().all.push_back(std::move(next->second));
      later.erase(next);
    }
  }
  --on_->with().running;
  if (request_) request_->complete(code_ != MPI_SUCCESS);
  --calls_running;
}

}  // namespace pleat::preloaded
