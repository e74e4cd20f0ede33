// SPDX-License-Identifier: Apache-2.0
#include "threads/termination_detector.hpp"

namespace pleat::detail {

std::uint64_t termination_detector::start(std::size_t workers) {
  if (flags_.size() < workers) {
    confirmation_.assign(workers, 0);
    flags_ = std::vector<flag>(workers);
  }
  changes_ += workers_ + 1;  // generations of the last run do not recur
  workers_ = workers;
  if (idle_.value.load(std::memory_order_relaxed) != 0)  // a run ended while workers were idle
    idle_.value.store(0, std::memory_order_relaxed);
  return ++run_;
}

std::size_t termination_detector::retired() const noexcept {
  std::size_t count = 0;
  // seq_cst: pairs with the exchange in retire
  for (std::size_t w = 0; w < workers_; ++w)
    count += flags_[w].retired_from.load(std::memory_order_seq_cst) == run_ ? 1 : 0;
  return count;
}

bool termination_detector::all_idle(std::size_t retired) const noexcept {
  const std::size_t working = workers_ - retired;
  // relaxed: under the mutex, as all changes
  return working != 0 && idle_.value.load(std::memory_order_relaxed) == working;
}

bool termination_detector::enter() {
  const std::scoped_lock lock(mutex_);
  idle_.value.fetch_add(1, std::memory_order_seq_cst);  // before `retired`; pairs with retire
  ++changes_;
  return all_idle(retired());
}

void termination_detector::leave() {
  const std::scoped_lock lock(mutex_);
  idle_.value.fetch_sub(1, std::memory_order_relaxed);  // a retiring worker may see it late
  ++changes_;
}

bool termination_detector::stir() {
  const std::scoped_lock lock(mutex_);
  ++changes_;
  return all_idle(retired());
}

bool termination_detector::retire(std::size_t self, std::uint64_t run) {
  // seq_cst: either this worker sees an idle one, or the idle one sees the flag. The exchange also
  // releases all that the worker has done.
  flags_[self].retired_from.exchange(run, std::memory_order_seq_cst);
  if (idle_.value.load(std::memory_order_seq_cst) == 0) return false;
  const std::scoped_lock lock(mutex_);
  return all_idle(retired());
}

bool termination_detector::over() const {
  const std::scoped_lock lock(mutex_);
  return retired() == workers_;
}

std::uint64_t termination_detector::generation() const {
  const std::scoped_lock lock(mutex_);
  return changes_ + retired();
}

bool termination_detector::confirm(std::size_t self, std::uint64_t generation) {
  const std::scoped_lock lock(mutex_);
  const std::size_t gone = retired();
  if (generation != changes_ + gone || confirmation_[self] == generation) return false;
  if (confirmed_in_ != generation) confirmed_ = 0;
  confirmed_in_ = generation;
  confirmation_[self] = generation;
  ++confirmed_;
  return all_idle(gone) && confirmed_ == workers_ - gone;
}

}  // namespace pleat::detail
