// SPDX-License-Identifier: Apache-2.0
// How long will a program's communication take on this machine? The machine is probed, the program
// is counted, and D-BSP says the time.
#include <cstdio>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/machine_model.hpp>
#include <pleat/runtime/probe.hpp>

namespace {

// Ten times around: everybody sends its neighbours a number.
pleat::task<> relax(pleat::vp& me) {
  for (int step = 0; step < 10; ++step) {
    if (me.rank() > 0) me.send(me.rank() - 1, 1.0);
    if (me.rank() + 1 < me.size()) me.send(me.rank() + 1, 1.0);
    co_await me.sync(0);
    while (me.receive()) {
    }
  }
}

}  // namespace

int main() {
  try {
    const auto levels = pleat::probe({}, {.machines = 5, .rounds = 3});
    for (const pleat::level_costs& one : levels)
      std::printf("label %u, %zu processors in %s: g = %.2g s, l = %.2g s\n", one.label,
                  one.processors, one.object.c_str(), one.g.value, one.l.value);
    const pleat::machine_model here = pleat::measured_model(levels);
    const pleat::cost_trace costs = pleat::evaluate(1024, relax);
    const double seconds = costs.D(here.levels(), here.g, here.l);
    std::printf("predicted: %.2g s of communication\n", seconds);
    return seconds > 0 ? 0 : 1;
  } catch (const pleat::usage_error& refusal) {  // a single processor has nobody to talk to
    std::printf("%s\n", refusal.what());
    return 0;
  }
}
