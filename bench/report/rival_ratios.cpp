// SPDX-License-Identifier: Apache-2.0
#include "rival_ratios.hpp"

#include <algorithm>

#include "measure/time_ratio.hpp"
#include "sweep/sweep_case.hpp"

namespace pleat::bench {

std::vector<rival_ratio> rival_ratios(const sweep_file& sweep) {
  std::vector<rival_ratio> ratios;
  for (const auto& rival : sweep.cases) {
    if (is_ours(rival.keys.library) || !rival.measured()) continue;
    case_keys keys = rival.keys;
    const auto ours = std::ranges::find_if(sweep.cases, [&](const measured_case& one) {
      keys.library = one.keys.library;
      return is_ours(keys.library) && one.keys == keys && one.measured();
    });
    if (ours == sweep.cases.end()) continue;
    ratios.push_back({&rival, &*ours, rival.median_s / ours->median_s,
                      ratio_of_times(ours->samples, rival.samples).range});
  }
  return ratios;
}

}  // namespace pleat::bench
