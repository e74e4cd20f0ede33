// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace model {

/// On how many workers tests are tried: the usual numbers, or, if the environment variable
/// PLEAT_TEST_WORKERS is set, on that many alone.
///
///     INSTANTIATE_TEST_SUITE_P(on_workers, scripts, worker_counts({1, 2, 8}));
inline auto worker_counts(std::initializer_list<unsigned> usual) {
  std::vector<unsigned> counts = usual;
  if (const char* given = std::getenv("PLEAT_TEST_WORKERS"))
    counts = {static_cast<unsigned>(std::stoul(given))};
  return testing::ValuesIn(counts);
}

}  // namespace model
