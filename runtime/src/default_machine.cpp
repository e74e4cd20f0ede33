// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/detail/foreign_runtimes.hpp>
#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat {
namespace {

/// The machine of one process. Those of its ancestors, whose threads it does not have and whose
/// mutex may be locked for ever, stay where they are.
struct home {
  std::mutex making;
  std::unique_ptr<machine> on;
  std::vector<std::unique_ptr<machine>> idle;  // of one worker each, for calls in foreign regions
  std::size_t made = 0;                        // of these, so that there is room for all
};

constinit detail::each_process<home> homes;
/// The home of the calling thread's turn.
thread_local constinit const void* mine = nullptr;

/// A machine of the calling thread alone, where others are at work on the cores.
std::unique_ptr<machine> take_single(home& here) {
  const std::scoped_lock lock(here.making);
  if (here.idle.empty()) {
    here.idle.reserve(here.made + 1);
    auto made = std::make_unique<machine>(machine_options{
        .processors = 1,
        .place = placement_request{placement_request::policy::unpinned, false, 0, {}}});
    ++here.made;
    return made;
  }
  std::unique_ptr<machine> found = std::move(here.idle.back());
  here.idle.pop_back();
  return found;
}

}  // namespace

default_machine::default_machine() {
  if (detail::current_execution != nullptr) {
    throw usage_error(
        "the default machine inside a run: a program that a machine carries out cannot run "
        "another; call the library outside, or divide its segment");
  }
  home& here = homes.get();
  if (mine == &here) {
    throw usage_error(
        "the default machine is busy with a call of this very thread; name a machine of its own "
        "in the inner one");
  }
  if (detail::in_foreign_region()) {
    single_ = take_single(here);
    on_ = single_.get();
  } else {
    const std::scoped_lock lock(here.making);
    if (here.on == nullptr) here.on = std::make_unique<machine>();
    on_ = here.on.get();
  }
  turn_.emplace(*on_);
  outer_ = std::exchange(mine, &here);
}

default_machine::~default_machine() {
  const void* const had = std::exchange(mine, outer_);
  turn_.reset();
  if (single_ == nullptr) return;
  home& here = homes.get();
  if (&here != had) {
    static_cast<void>(single_.release());  // the parent's
    return;
  }
  const std::scoped_lock lock(here.making);
  here.idle.push_back(std::move(single_));
}

}  // namespace pleat
