// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/sanitizer.hpp"

namespace model {

/// On how many workers tests are tried: the usual numbers, or, if the environment variable
/// PLEAT_TEST_WORKERS is set, on that many alone. Workers wait by spinning: when a sanitizer
/// watches each look, 64 on a few cores take minutes, and are left out.
///
///     INSTANTIATE_TEST_SUITE_P(on_workers, scripts, worker_counts({1, 2, 8}));
inline std::vector<unsigned> tried_workers(std::initializer_list<unsigned> usual) {
  std::vector<unsigned> counts = usual;
  if (pleat::detail::sanitized) std::erase_if(counts, [](unsigned n) { return n > 17; });
  if (const char* given = std::getenv("PLEAT_TEST_WORKERS"))
    counts = {static_cast<unsigned>(std::stoul(given))};
  return counts;
}
inline auto worker_counts(std::initializer_list<unsigned> usual) {
  return testing::ValuesIn(tried_workers(usual));
}

}  // namespace model
