// SPDX-License-Identifier: Apache-2.0
#include "complete_options.hpp"

#include <pleat/runtime/detail/environment.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

#ifdef NDEBUG
constexpr bool strict_by_default = false;
#else
constexpr bool strict_by_default = true;
#endif

}  // namespace

machine_options complete(machine_options options) {
  if (options.trace) {
    if (options.processors.value_or(1) != 1 || !options.strict.value_or(true)) {
      throw usage_error(
          "a machine that traces has one worker and is strict: leave machine_options::processors "
          "and strict out");
    }
    if (options.trace->dummies && options.routing == routing::ascend_descend) {
      throw usage_error(
          "dummy messages under ascend-descend routing: they never travel, so they cannot be "
          "routed; count them with direct routing");
    }
    options.processors = 1;
    options.strict = true;
  }
  if (options.timeline && !options.times) {
    throw usage_error(
        "a timeline is made of the times: leave machine_options::times on, or the timeline out");
  }
  // An argument makes its variable irrelevant.
  if (!options.processors) options.processors = environment::processors();
  if (!options.place) options.place = environment::place().value_or(placement_request{});
  if (!options.wait) options.wait = environment::wait().value_or(wait_policy::automatic);
  if (!options.memory) options.memory = environment::memory().value_or(memory_policy{});
  if (!options.strict) options.strict = strict_by_default;
  if (!options.topology) options.topology = topology::host();
  return options;
}

}  // namespace pleat::detail
