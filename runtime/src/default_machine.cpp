// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat {
namespace {

/// The machine of one process. Those of its ancestors, whose threads it does not have and whose
/// mutex may be locked for ever, stay where they are.
struct home {
  explicit home(pid_t of) : process(of) {}

  const pid_t process;
  std::mutex making;
  std::unique_ptr<machine> on;
};

std::atomic<home*> current{nullptr};
/// The home of the calling thread's turn.
thread_local constinit const void* mine = nullptr;

home& home_of_this_process() {
  const pid_t process = detail::this_process();
  home* found = current.load();
  while (found == nullptr || found->process != process) {
    auto made = std::make_unique<home>(process);
    if (current.compare_exchange_strong(found, made.get())) return *made.release();
  }
  return *found;
}

}  // namespace

default_machine::default_machine() {
  if (detail::current_execution != nullptr) {
    throw usage_error(
        "the default machine inside a run: a program that a machine carries out cannot run "
        "another; call the library outside, or divide its segment");
  }
  home& here = home_of_this_process();
  if (mine == &here) {
    throw usage_error(
        "the default machine is busy with a call of this very thread; name a machine of its own "
        "in the inner one");
  }
  {
    const std::scoped_lock lock(here.making);
    if (here.on == nullptr) here.on = std::make_unique<machine>();
    on_ = here.on.get();
  }
  turn_.emplace(*on_);
  outer_ = std::exchange(mine, &here);
}

default_machine::~default_machine() { mine = outer_; }

}  // namespace pleat
