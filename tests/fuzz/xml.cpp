// SPDX-License-Identifier: Apache-2.0
//
// Machines described by files. hwloc may end the process that reads one: never ours.

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "input.hpp"
#include "tool/machine_arguments.hpp"

// hwloc and the plugin it reads XML with lose memory when they refuse a file: a C program of
// hwloc_topology_load and hwloc_topology_destroy does as well. The plugin is unloaded by then, so
// no suppression can name it. What we make of a topology is looked through in synthetic.cpp.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto file =
      std::filesystem::temp_directory_path() / ("pleat_fuzz_xml_" + std::to_string(::getpid()));
  std::ofstream(file, std::ios::binary) << pleat::fuzz::text_of(data, size);
  pleat::fuzz::answers([&] {
    const auto machine = pleat::bench::described_topology(file);
    pleat::fuzz::require(machine.pus() > 0);
  });
  std::filesystem::remove(file);
  return 0;
}
