// SPDX-License-Identifier: Apache-2.0
#include "rival_ratios.hpp"

#include <algorithm>

#include "measure/time_ratio.hpp"

namespace pleat::bench {

std::vector<rival_ratio> rival_ratios(const sweep_file& sweep) {
  std::vector<rival_ratio> ratios;
  for (const auto& rival : sweep.cases) {
    if (rival.keys.library == "pleat" || !rival.measured()) continue;
    case_keys keys = rival.keys;
    keys.library = "pleat";
    const auto ours = std::ranges::find_if(
        sweep.cases, [&](const measured_case& one) { return one.keys == keys && one.measured(); });
    if (ours == sweep.cases.end()) continue;
    ratios.push_back({&rival, &*ours, rival.median_s / ours->median_s,
                      ratio_of_times(ours->samples, rival.samples).range});
  }
  return ratios;
}

}  // namespace pleat::bench
