// SPDX-License-Identifier: Apache-2.0
#include "machine/complete_options.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>
#include <sys/resource.h>

#include <pleat/runtime/error.hpp>

#include "host/binding.hpp"
#include "machine/environment.hpp"

namespace pleat::detail {

namespace {

#ifdef NDEBUG
constexpr bool strict_by_default = false;
#else
constexpr bool strict_by_default = true;
#endif

constexpr std::size_t least_stack = std::size_t{64} << 10;

/// Bytes that the main thread's stack may have, within reason.
std::size_t usual_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::size_t{8} << 20;
  return std::clamp<std::size_t>(limit.rlim_cur, least_stack, std::size_t{64} << 20);
}

machine_options complete_rest(machine_options options) {
  if (!options.stack) options.stack = environment::stack();
  if (!options.stack) options.stack = usual_stack();
  if (*options.stack < least_stack) {
    throw usage_error(
        "stacks of " + std::to_string(*options.stack) +
        " bytes are too small for workers: give machine_options::stack or PLEAT_STACK "
        "64K or more, as in 8M");
  }
  if (!options.wait) options.wait = environment::wait().value_or(wait_policy::automatic);
  if (!options.memory) options.memory = environment::memory().value_or(memory_policy{});
  (void)environment::cache();  // refused here if it is no size; programs read it
  if (!options.strict) options.strict = strict_by_default;
  if (!options.topology) options.topology = topology::host();
  return options;
}

/// Where the threads are is their owner's business, and the variables that say it are for machines
/// that own theirs. A hardware thread each, as other runtimes have.
machine_options complete_borrowed(machine_options options) {
  if (options.place || options.pin.value_or(false)) {
    throw usage_error(
        "a machine of borrowed threads does not place them: leave machine_options::place and pin "
        "out");
  }
  if (!options.processors) options.processors = environment::processors();
  options.place = placement_request{placement_request::policy::unpinned, true, 0, {}};
  options.pin = false;
  options.thread_each = true;
  return complete_rest(std::move(options));
}

/// Place of workers for which nobody has asked for one: none where the kernel refuses to bind them.
placement_request usual_place(std::optional<bool> pin) {
  placement_request place;
  if (!pin) pin = environment::pin();
  if (pin.value_or(false) || affinity::can_change()) return place;
  place.how = placement_request::policy::unpinned;
  static std::atomic_flag told;
  if (!told.test_and_set()) {
    std::fputs(
        "pleat: warning: the kernel does not let threads be bound here, so that it places the "
        "workers: times will vary. PLEAT_PLACE=unpinned says that this is meant\n",
        stderr);
  }
  return place;
}

void check_over_ranks(const machine_options& options) {
  if (options.workers == workers::borrowed) {
    throw usage_error(
        "a machine over ranks has threads of its own: leave machine_options::workers out");
  }
}

}  // namespace

machine_options complete(machine_options options) {
  if (options.link) check_over_ranks(options);
  if (options.trace) {
    if (options.processors.value_or(1) != 1 || !options.strict.value_or(true)) {
      throw usage_error(
          "a machine that traces has one worker and is strict: leave machine_options::processors "
          "and strict out");
    }
    if (options.trace->messages && options.link) {
      throw usage_error(
          "tracing::messages on a machine over ranks, each of which knows its own messages alone: "
          "count the program in one process");
    }
    options.processors = 1;
    options.strict = true;
  }
  if (options.timeline && !options.times) {
    throw usage_error(
        "a timeline is made of the times: leave machine_options::times on, or the timeline out");
  }
  if (options.workers == workers::borrowed) return complete_borrowed(std::move(options));
  // An argument makes its variable irrelevant.
  if (!options.processors) options.processors = environment::processors();
  if (!options.place) options.place = environment::place();
  if (!options.place) options.place = usual_place(options.pin);
  if (!options.thread_each) options.thread_each = environment::thread_each().value_or(false);
  const bool unpinned = options.place->how == placement_request::policy::unpinned;
  if (unpinned && options.pin.value_or(false)) {
    throw usage_error(
        "machine_options::pin with the placement unpinned: leave one of them out, or name another "
        "placement");
  }
  if (unpinned) options.pin = false;
  if (!options.pin) options.pin = environment::pin().value_or(false);
  return complete_rest(std::move(options));
}

}  // namespace pleat::detail
