// SPDX-License-Identifier: Apache-2.0
#include <pleat/runtime/detail/termination_detector.hpp>

namespace pleat::detail {

void termination_detector::start(std::size_t workers) {
  const std::scoped_lock lock(mutex_);
  working_ = workers;
  idle_ = 0;
  confirmed_ = 0;
  generation_ = 1;
  confirmation_.assign(workers, 0);
}

bool termination_detector::enter() {
  const std::scoped_lock lock(mutex_);
  ++idle_;
  ++generation_;
  confirmed_ = 0;
  return all_idle();
}

void termination_detector::leave() {
  const std::scoped_lock lock(mutex_);
  --idle_;
  ++generation_;
  confirmed_ = 0;
}

bool termination_detector::stir() {
  const std::scoped_lock lock(mutex_);
  ++generation_;
  confirmed_ = 0;
  return all_idle();
}

bool termination_detector::retire() {
  const std::scoped_lock lock(mutex_);
  --working_;
  ++generation_;
  confirmed_ = 0;
  return all_idle();
}

bool termination_detector::over() const {
  const std::scoped_lock lock(mutex_);
  return working_ == 0;
}

std::uint64_t termination_detector::generation() const {
  const std::scoped_lock lock(mutex_);
  return generation_;
}

bool termination_detector::confirm(std::size_t self, std::uint64_t generation) {
  const std::scoped_lock lock(mutex_);
  if (generation != generation_ || confirmation_[self] == generation) return false;
  confirmation_[self] = generation;
  ++confirmed_;
  return all_idle() && confirmed_ == working_;
}

}  // namespace pleat::detail
