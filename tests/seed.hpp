// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

/// The seed of this process: PLEAT_TEST_SEED, else a fresh one. Printed, so that a run can be had
/// again.
inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("PLEAT_TEST_SEED");
    const std::uint64_t chosen = given ? std::stoull(given) : std::random_device{}();
    std::cout << "seed " << chosen << " (PLEAT_TEST_SEED=" << chosen << " repeats it)" << std::endl;
    return chosen;
  }();
  return value;
}
