// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/error.hpp>

#include "host/binding.hpp"
#include "machine/machine_body.hpp"

namespace pleat {
namespace {

/// Default machine of one process. A forked child makes its own: it has none of the threads of its
/// parent's machine, and the parent's mutex may stay locked in the child for ever.
struct home {
  std::mutex making;
  std::unique_ptr<machine> on;
  std::vector<std::unique_ptr<machine>> idle;  // each has one worker, the thread that takes it
  std::size_t made = 0;                        // such machines, for all of which `idle` has room
};

constinit detail::each_process<home> homes;
/// Most bytes of scratch memory that a machine keeps from one nested call for the next.
constexpr std::size_t most_kept = std::size_t{1} << 20;

/// Takes an idle machine, or makes one: its one worker is the calling thread, which is not pinned.
std::unique_ptr<machine> take_single() {
  home& here = homes.get();
  {
    const std::scoped_lock lock(here.making);
    if (!here.idle.empty()) {
      std::unique_ptr<machine> found = std::move(here.idle.back());
      here.idle.pop_back();
      return found;
    }
    here.idle.reserve(++here.made);
  }
  return std::make_unique<machine>(machine_options{.processors = 1, .workers = workers::free});
}

/// Returns the machine to `from`, the home that it was taken from.
void give_back_single(std::unique_ptr<machine>& single, const void* from) {
  home& here = homes.get();
  if (&here != from) {
    static_cast<void>(single.release());  // the parent process owns it
    return;
  }
  const std::scoped_lock lock(here.making);
  here.idle.push_back(std::move(single));
}

}  // namespace

default_machine::default_machine() {
  detail::require_outside_calls();
  home& here = homes.get();
  if (detail::in_foreign_region()) {
    single_ = take_single();
    on_ = single_.get();
  } else {
    const std::scoped_lock lock(here.making);
    if (here.on == nullptr) here.on = std::make_unique<machine>();
    on_ = here.on.get();
  }
  home_ = &here;
  turn_.emplace(*on_);
}

default_machine::~default_machine() {
  turn_.reset();
  if (single_ != nullptr) give_back_single(single_, home_);
}

namespace detail {

call_machine::call_machine() {
  if (inside_a_call())
    take_inner();
  else
    on_ = &**(shared_ = std::make_unique<default_machine>());
}

call_machine::call_machine(machine& named) : on_(&named) {
  named.require_one_memory();
  if (inside_a_call() && !named.body_->inner) take_inner();
}

void call_machine::take_inner() {
  home_ = &homes.get();
  inner_ = take_single();
  inner_->body_->inner = true;
  on_ = inner_.get();
}

call_machine::~call_machine() {
  if (inner_ == nullptr) return;
  inner_->body_->inner = false;
  if (inner_->body_->scratch_bytes > most_kept) inner_->body_->release_memory();
  give_back_single(inner_, home_);
}

}  // namespace detail

}  // namespace pleat
