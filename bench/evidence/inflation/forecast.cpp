// SPDX-License-Identifier: Apache-2.0
#include "forecast.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pleat::bench {

machine_model grown(const machine_model& probed, unsigned levels) {
  assert(probed.levels() > 0);
  const unsigned kept = std::min(levels, probed.levels());
  const machine_model inner = submachine(probed, kept);
  machine_model whole{std::string(grown_name), {}, {}};
  for (unsigned larger = levels - kept; larger > 0; --larger) {
    const double times = std::cbrt(std::ldexp(1.0, static_cast<int>(larger)));
    whole.g.push_back(inner.g.front() * times);
    whole.l.push_back(inner.l.front() * times);
  }
  whole.g.insert(whole.g.end(), inner.g.begin(), inner.g.end());
  whole.l.insert(whole.l.end(), inner.l.begin(), inner.l.end());
  return whole;
}

forecast forecast_on(const machine_model& machine, const case_costs& costs, double work) {
  const unsigned processors = 1U << machine.levels();
  const double communication = costs.communication(machine);
  const double seconds = work / processors + communication;
  return {processors, seconds, communication, seconds * processors / work};
}

}  // namespace pleat::bench
