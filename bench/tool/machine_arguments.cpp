// SPDX-License-Identifier: Apache-2.0
#include "machine_arguments.hpp"

#include "machine/environment.hpp"
#include "measure/machine_state.hpp"
#include "terminal.hpp"

namespace pleat::bench {

void machine_arguments::add_to(tool_command& command, const std::string& processors_help) {
  command.add_option("--processors", processors, processors_help).type_name("P");
  command
      .add_option("--place", place,
                  "Which: compact, spread, scatter, numa:N, p-cores, e-cores, unpinned, "
                  "list:0,2-5; /pu behind it: "
                  "every hardware thread")
      .type_name("PLACE");
}

machine_options machine_arguments::options() const {
  machine_options chosen;
  if (place)
    set_place(chosen, *place);
  else
    chosen = detail::environment::place().value_or(machine_options{.place = placement_request{}});
  chosen.processors = number();
  return chosen;
}

std::optional<unsigned> machine_arguments::number() const {
  if (processors) return parse_processors(*processors);
  return detail::environment::processors();
}

void warn_about(const machine& on) {
  if (on.oversubscribed()) warn(on.placement().warning);
  const auto& seen = on.topology();
  if (!on.oversubscribed() && seen.quota() && seen.available() < seen.allowed_cores()) {
    warn("the processor quota leaves " + std::to_string(seen.available()) + " of " +
         std::to_string(seen.allowed_cores()) + " cores (" + seen.quota()->source +
         "); raise it to use them all");
  }
  for (const auto& spoiler : spoilers(read_machine_state(), seen.memory_nodes().size()))
    warn(spoiler);
#ifndef NDEBUG
  warn(
      "this is a debug build, its figures mean nothing; configure with -D "
      "CMAKE_BUILD_TYPE=Release");
#endif
}

}  // namespace pleat::bench
