// SPDX-License-Identifier: Apache-2.0
//
// Machines whose workers are threads of the application.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>

#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "machine/machine_body.hpp"
#include "memory/memory_binding.hpp"
#include "threads/borrowed_threads.hpp"

namespace pleat {

machine::gathering::gathering(machine& of) : of_(of) {
  detail::borrowed_threads& borrowed = of.body_->require_borrowed("a gathering");
  const turn mine(of);  // throws inside a run, and in a forked child
  const auto number = borrowed.open();
  if (!number) {
    throw usage_error(
        "a second gathering of a machine: it has one already, which other threads may be in; end "
        "that first, or make another machine");
  }
  number_ = *number;
  of.body_->gatherer = detail::this_thread();
}

machine::gathering::~gathering() {
  body& b = *of_.body_;
  if (!b.access.ours()) return;  // the threads are the parent's
  const auto take = [&] {
    try {
      b.access.lock();
      return true;
    } catch (const environment_error&) {
      // no patience here: the threads must be waited for
    } catch (const usage_error&) {
      b.run.poison(std::current_exception());  // the run joins this thread, so it must end first
    }
    return false;
  };
  while (!take()) std::this_thread::yield();
  b.gatherer = 0;
  b.borrowed->close();
  b.access.unlock();
}

std::size_t machine::join() { return serve(std::nullopt); }
std::size_t machine::join(std::uint64_t number) { return serve(number); }

std::size_t machine::serve(std::optional<std::uint64_t> number) {
  detail::borrowed_threads& borrowed = body_->require_borrowed("join");
  if (detail::inside_a_call()) {
    throw usage_error("join inside a run or a call: this thread is at work already");
  }
  if (!body_->access.ours()) {
    throw usage_error(
        "a machine of the parent process: nobody runs on it after fork; make a machine in the "
        "child");
  }
  if (body_->gatherer == detail::this_thread() || body_->access.mine()) {
    throw usage_error(
        "join by the thread that has made the gathering, or has a turn at the machine: it would "
        "wait for itself; let other threads join, and run on this one");
  }
  const std::size_t self = borrowed.enter(number);
  if (self == 0) return 0;
  std::optional<detail::page_placement_scope> pages;
  std::exception_ptr refused;
  try {
    if (!body_->page_homes.empty()) pages.emplace(body_->page_homes[self]);
  } catch (const environment_error&) {
    refused = std::current_exception();  // the thread has entered, and has to serve
  }
  const std::size_t runs = borrowed.serve(self);
  if (refused) std::rethrow_exception(refused);
  return runs;
}

}  // namespace pleat
