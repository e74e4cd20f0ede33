// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sweep_file.hpp"

namespace pleat::bench {

/// Comparison of a rival with Pleat in the same case.
struct rival_ratio {
  const measured_case* rival;
  const measured_case* ours;
  double ratio;                   ///< the rival's median over Pleat's: above 1 Pleat is faster
  std::optional<interval> range;  ///< 95 %, as ratio_of_times has it
};

/// All rivals of a sweep that were measured where Pleat was too, in the order of the file. The
/// pointers lead into the sweep.
[[nodiscard]] std::vector<rival_ratio> rival_ratios(const sweep_file& sweep);

}  // namespace pleat::bench
