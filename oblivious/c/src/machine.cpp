// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/topology.hpp>

#include "call.hpp"

using namespace pleat::c;  // NOLINT(google-build-using-namespace): the functions are of none

int pleat_machine_create(unsigned processors, const char* place, const char* memory,
                         pleat_machine** machine) {
  return guarded("pleat_machine_create", {}, [&](const char* caller) {
    require(caller, "machine", machine);
    *machine = nullptr;
    pleat::machine_options options;
    if (processors != 0) options.processors = processors;
    if (place != nullptr) pleat::set_place(options, place);
    if (memory != nullptr) options.memory = pleat::parse_memory_policy(memory);
    *machine = new pleat_machine{pleat::machine(std::move(options))};
  });
}

void pleat_machine_destroy(pleat_machine* machine) { delete machine; }

int pleat_machine_processors(pleat_machine* on, unsigned* processors) {
  return guarded("pleat_machine_processors", {}, [&](const char* caller) {
    require(caller, "processors", processors);
    *processors = on != nullptr ? on->on.processors() : machine_of(nullptr)->processors();
  });
}

int pleat_available_processors(unsigned* processors) {
  return guarded("pleat_available_processors", {}, [&](const char* caller) {
    require(caller, "processors", processors);
    *processors = pleat::topology::host().available();
  });
}

int pleat_topology_text(char* buffer, size_t size, size_t* needed) {
  return guarded("pleat_topology_text", {size}, [&](const char* caller) {
    require(caller, "buffer", buffer, size, 1);
    const std::string text = pleat::topology::host().summary();
    if (needed != nullptr) *needed = text.size() + 1;
    if (size == 0) return;
    const std::size_t copied = std::min(text.size(), size - 1);
    std::copy_n(text.data(), copied, buffer);
    buffer[copied] = 0;
  });
}
