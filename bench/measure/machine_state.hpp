// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pleat::bench {

/// Settings of the machine, as far as they change what is measured. What the kernel does not tell
/// is absent, not guessed.
struct machine_state {
  std::optional<std::string> kernel;           ///< its release
  std::optional<std::string> processor_model;  ///< as /proc/cpuinfo names it
  std::optional<std::string> microcode;
  std::vector<std::string> governors;                 ///< of the clock frequency, sorted, each once
  std::optional<bool> boost;                          ///< clocks above the nominal one are allowed
  std::optional<bool> smt;                            ///< cores run several hardware threads
  std::optional<std::string> transparent_huge_pages;  ///< always, madvise or never
  std::optional<long long> numa_balancing;            ///< 0: off; else the kernel moves pages
  std::optional<bool> virtual_machine;
  std::optional<std::string> hypervisor;    ///< or the product that the machine pretends to be
  std::optional<std::string> clock_source;  ///< of the kernel's clocks
  std::optional<std::array<double, 3>> load_average;  ///< of 1, 5 and 15 minutes
};

/// Reads it. `root` is where /proc and /sys are. Cost: some dozen small files; one more for every
/// processor.
[[nodiscard]] machine_state read_machine_state(const std::filesystem::path& root = "/");

/// Makes JSON of the state, by name; null for what is absent.
[[nodiscard]] nlohmann::ordered_json state_json(const machine_state& state);

/// Lists what of the state spoils a measurement: a line for each, which says what to do about it.
[[nodiscard]] std::vector<std::string> spoilers(const machine_state& state, std::size_t numa_nodes);

}  // namespace pleat::bench
