// SPDX-License-Identifier: Apache-2.0
#include "testbed.hpp"

#include <algorithm>
#include <string>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

void testbed::require_dedicated(std::string_view benchmark) const {
  static_cast<void>(pair(benchmark));
  auto distinct = pus;
  std::ranges::sort(distinct);
  const auto repeated = std::ranges::unique(distinct);
  if (!repeated.empty()) {
    throw environment_error("compare " + std::string(benchmark) +
                            " needs a processor for each of the " + std::to_string(pus.size()) +
                            " workers; ask for at most " +
                            std::to_string(pus.size() - repeated.size()) + " with --processors");
  }
}

std::vector<unsigned> testbed::pair(std::string_view benchmark) const {
  if (pus.size() < 2 || pus[0] == pus[1]) {
    throw environment_error("compare " + std::string(benchmark) +
                            " needs two processors; allow this process a second core, or choose " +
                            "two hardware threads with --place compact/pu");
  }
  return {pus[0], pus[1]};
}

}  // namespace pleat::bench
