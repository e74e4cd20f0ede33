// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <pleat/runtime/machine.hpp>

#include "host/binding.hpp"
#include "measure/testbed.hpp"

namespace pleat::bench {

/// The calling thread, from which those of rivals are started, is for these like our workers as
/// long as this lives: they get our processors, and the memory policy of worker 0, which a thread
/// has in its turn.
class rivals_thread {
 public:
  explicit rivals_thread(const testbed& on) {
    detail::affinity::of(on.pus).apply();
    if (on.ours.memory().where != memory_policy::nodes::first_touch) turn_.emplace(on.ours);
  }

 private:
  std::optional<machine::turn> turn_;
};

}  // namespace pleat::bench
