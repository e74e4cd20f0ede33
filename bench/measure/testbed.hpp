// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// The machine all candidates of a benchmark are measured on.
struct testbed {
  machine& ours;
  machine_options like_ours;  ///< for other machines on the same processors
  std::vector<unsigned> pus;  ///< of its processors, in order: where rivals' threads go

  /// Requires a processor for each thread, and more than one, for benchmarks in which threads spin
  /// for each other. Throws: pleat::environment_error otherwise.
  void require_dedicated(std::string_view benchmark) const;

  /// The first two processors, for benchmarks that are between two.
  /// Throws: pleat::environment_error if there are not two different PUs.
  [[nodiscard]] std::vector<unsigned> pair(std::string_view benchmark) const;
};

}  // namespace pleat::bench
