// SPDX-License-Identifier: Apache-2.0
#include "machine/environment.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <utility>

#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/error.hpp>

#include "base/names.hpp"
#include "base/process_defaults.hpp"
#include "host/binding.hpp"

namespace pleat {

wait_policy parse_wait_policy(std::string_view name) {
  constexpr detail::names<wait_policy, 4> all{{{"auto", wait_policy::automatic},
                                               {"spin", wait_policy::spin},
                                               {"yield", wait_policy::yield},
                                               {"park", wait_policy::park}}};
  if (const auto known = detail::named(all, name)) return *known;
  throw usage_error("unknown way to wait \"" + std::string(name) +
                    "\": choose auto, spin, yield or park");
}

void set_place(machine_options& of, std::string_view notation) {
  if (notation == "unpinned" || notation == "unpinned/pu") {
    of.place = placement_request{.every_pu = notation != "unpinned"};
    of.workers = workers::free;
  } else {
    of.place = parse_placement(notation);
  }
}

std::string place_notation(const machine_options& of) {
  const placement_request place = of.place.value_or(placement_request{});
  if (of.workers == workers::free) return place.every_pu ? "unpinned/pu" : "unpinned";
  return to_string(place);
}

}  // namespace pleat

namespace pleat::detail {

namespace {

template <class Parse>
auto read(const char* variable, Parse&& parse) -> std::optional<decltype(parse(""))> {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  try {
    return parse(value);
  } catch (const usage_error& e) {
    throw usage_error(std::string(variable) + ": " + e.what());
  }
}

bool parse_switch(std::string_view text) {
  if (text == "1" || text == "true" || text == "yes" || text == "on") return true;
  if (text == "0" || text == "false" || text == "no" || text == "off") return false;
  throw usage_error("\"" + std::string(text) + "\" is neither 1 nor 0");
}

}  // namespace

namespace environment {

std::optional<unsigned> processors() { return read("PLEAT_NUM_PROCESSORS", parse_processors); }
std::optional<machine_options> place() {
  return read("PLEAT_PLACE", [](const char* v) {
    machine_options said;
    set_place(said, v);
    return said;
  });
}
std::optional<wait_policy> wait() { return read("PLEAT_WAIT", parse_wait_policy); }
std::optional<memory_policy> memory() { return read("PLEAT_MEMORY", parse_memory_policy); }
bool pin() { return read("PLEAT_PIN", parse_switch).value_or(false); }
bool show_binding() { return read("PLEAT_SHOW_BINDING", parse_switch).value_or(false); }

}  // namespace environment

namespace {

#ifdef NDEBUG
constexpr bool strict_by_default = false;
#else
constexpr bool strict_by_default = true;
#endif

constexpr std::size_t least_stack = std::size_t{64} << 10;

/// Stack size for threads: the limit of the main thread, within bounds.
std::size_t usual_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::size_t{8} << 20;
  return std::clamp<std::size_t>(limit.rlim_cur, least_stack, std::size_t{64} << 20);
}

machine_options complete_rest(machine_options options) {
  std::optional<std::size_t>& stack = options.threads.stack;
  if (!stack) stack = usual_stack();
  if (*stack < least_stack)
    throw usage_error(
        "stacks of " + std::to_string(*stack) +
        " bytes are too small for workers: give thread_options::stack 64 KiB or more");
  if (!options.wait) options.wait = environment::wait().value_or(wait_policy::automatic);
  if (!options.memory) options.memory = environment::memory().value_or(memory_policy{});
  if (!options.strict) options.strict = strict_by_default;
  if (!options.topology) options.topology = topology::host();
  return options;
}

/// Completes the options of a machine whose threads their owner places. It has one processor for
/// each hardware thread, as other runtimes do, whatever the variables say.
machine_options complete_borrowed(machine_options options) {
  if (options.place)
    throw usage_error(
        "a machine of borrowed threads does not place them: leave machine_options::place out");
  if (!options.processors) options.processors = environment::processors();
  options.place = placement_request{.every_pu = true};
  options.threads.each = true;
  return complete_rest(std::move(options));
}

/// Leaves the workers to the kernel, because it refuses to move threads and no placement was
/// requested.
void leave_to_the_kernel(machine_options& options) {
  options.workers = workers::free;
  static std::atomic_flag told;
  if (!told.test_and_set())
    warn(
        "the kernel does not let threads be bound here, so that it places the workers: times will "
        "vary. PLEAT_PLACE=unpinned says that this is meant");
}

void complete_place(machine_options& options) {
  if (!options.place && options.workers != workers::free) {
    if (const auto said = environment::place()) {
      options.place = said->place;
      if (!options.workers) options.workers = said->workers;
    }
  }
  if (!options.workers && environment::pin()) options.workers = workers::bound;
  if (!options.place && !options.workers && !affinity::can_change()) leave_to_the_kernel(options);
  if (!options.place) options.place = placement_request{};
  if (!options.workers) options.workers = workers::kept;
}

}  // namespace

machine_options complete(machine_options options, bool over_ranks) {
  if (over_ranks && options.workers == workers::borrowed)
    throw usage_error(
        "a machine over ranks has threads of its own: leave machine_options::workers out");
  if (options.trace) {
    if (options.processors.value_or(1) != 1 || !options.strict.value_or(true))
      throw usage_error(
          "a machine that traces has one worker and is strict: leave machine_options::processors "
          "and strict out");
    if (options.trace->messages && over_ranks)
      throw usage_error(
          "tracing::messages on a machine over ranks, each of which knows its own messages alone: "
          "count the program in one process");
    options.processors = 1;
    options.strict = true;
  }
  if (options.workers == workers::borrowed) return complete_borrowed(std::move(options));
  if (!options.processors) options.processors = environment::processors();
  complete_place(options);
  if (!options.threads.each) options.threads.each = defaults.thread_each;
  return complete_rest(std::move(options));
}

}  // namespace pleat::detail
