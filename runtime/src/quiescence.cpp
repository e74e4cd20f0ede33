// SPDX-License-Identifier: Apache-2.0
#include <pleat/runtime/detail/quiescence.hpp>

namespace pleat::detail {

void quiescence::start(std::size_t workers) {
  const std::scoped_lock lock(mutex_);
  working_ = workers;
  idle_ = 0;
  confirmed_ = 0;
  generation_ = 1;
  confirmation_.assign(workers, 0);
}

bool quiescence::enter() {
  const std::scoped_lock lock(mutex_);
  ++idle_;
  ++generation_;
  confirmed_ = 0;
  return all_idle();
}

void quiescence::leave() {
  const std::scoped_lock lock(mutex_);
  --idle_;
  ++generation_;
  confirmed_ = 0;
}

bool quiescence::stir() {
  const std::scoped_lock lock(mutex_);
  ++generation_;
  confirmed_ = 0;
  return all_idle();
}

bool quiescence::retire() {
  const std::scoped_lock lock(mutex_);
  --working_;
  ++generation_;
  confirmed_ = 0;
  return all_idle();
}

bool quiescence::over() const {
  const std::scoped_lock lock(mutex_);
  return working_ == 0;
}

std::uint64_t quiescence::generation() const {
  const std::scoped_lock lock(mutex_);
  return generation_;
}

bool quiescence::confirm(std::size_t self, std::uint64_t generation) {
  const std::scoped_lock lock(mutex_);
  if (generation != generation_ || confirmation_[self] == generation) return false;
  confirmation_[self] = generation;
  ++confirmed_;
  return all_idle() && confirmed_ == working_;
}

}  // namespace pleat::detail
