// SPDX-License-Identifier: Apache-2.0
#include "threads/worker_affinity.hpp"

#include <exception>
#include <set>

#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

void worker_affinity::apply(std::size_t worker) const {
  switch (how_) {
    case workers::bound:
      return bind_this_thread(worker, pus_[worker]);
    case workers::kept:
      return move_this_thread(worker, pus_[worker], rest_);
    case workers::free:
    case workers::borrowed:
      return;  // the kernel, or their owner, places them
  }
}

void worker_affinity::move_back(std::size_t worker) const noexcept {
  try {
    // The application may have restricted the whole process meanwhile.
    const affinity now = affinity::current();
    if (now.includes(pus_[worker])) move_this_thread(worker, pus_[worker], now);
  } catch (const std::exception&) {
    // The cpuset has changed meanwhile, and so have the PUs on which the thread may run.
  }
}

void caller_binding::begin(bool at_once) {
  if (how_ == workers::free || how_ == workers::borrowed) return;
  const bool there = ::sched_getcpu() == static_cast<int>(pu_);
  if (how_ == workers::kept && there) return;
  caller_ = this_thread();
  if (how_ == workers::bound)
    state_.store(state::free, std::memory_order_relaxed);  // the workers' orders release it
  if (there && !at_once) return;
  try {
    if (how_ == workers::bound)
      make_sure();
    else
      move();
  } catch (...) {
    static_cast<void>(end());
    throw;
  }
}

void caller_binding::bind() {
  state before = state::free;
  // relaxed: only `end` reads what the winner writes, after the run
  if (!state_.compare_exchange_strong(before, state::bound, std::memory_order_relaxed)) return;
  before_.read(caller_);
  changed_ = true;
  bound_.apply(caller_);
  require_bound();
}

void caller_binding::move() {
  if (!changed_) before_.read(caller_);
  changed_ = true;
  bound_.apply(caller_);
  require_bound();
  if (before_.includes(pu_)) {
    before_.apply(caller_);
    changed_ = false;
  } else {
    std::vector<unsigned> wider = before_.pus();
    wider.push_back(pu_);
    affinity::of(wider).apply(caller_);
  }
}

void caller_binding::require_bound() {
  now_.read(caller_);
  if (!now_.is_only(pu_)) not_bound(0, pu_, now_);
}

void caller_binding::move_back() noexcept {
  try {
    caller_ = this_thread();
    move();
  } catch (const std::exception&) {
    // The cpuset has changed meanwhile, and so have the PUs on which the thread may run.
  }
}

std::optional<unsigned> caller_binding::end() noexcept {
  const bool bound = how_ == workers::bound &&
                     state_.exchange(state::none, std::memory_order_relaxed) == state::bound;
  if (std::exchange(changed_, false)) before_.restore(caller_);
  const int pu = ::sched_getcpu();
  if (bound || pu < 0 || pu == static_cast<int>(pu_)) return std::nullopt;
  return static_cast<unsigned>(pu);
}

std::vector<std::size_t> worker_processors(const placement& placed, bool each) {
  std::vector<std::size_t> first;
  std::set<unsigned> taken;
  for (std::size_t i = 0; i < placed.processors.size(); ++i) {
    const bool fresh = taken.insert(placed.processors[i].pu).second;
    if (fresh || each) first.push_back(i);
  }
  return first;
}

bool oversubscribed(const topology& machine, const placement& placed, std::size_t workers) {
  const bool shared = workers > worker_processors(placed, false).size();
  return shared || (machine.quota() && workers > machine.quota()->processors());
}

}  // namespace pleat::detail
