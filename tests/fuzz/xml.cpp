// SPDX-License-Identifier: Apache-2.0
//
// Machines described by files. hwloc may end the process that reads one: never ours.

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "described_topology.hpp"
#include "input.hpp"

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
