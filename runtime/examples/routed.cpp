// SPDX-License-Identifier: Apache-2.0
// One virtual processor sends all the messages: what does that cost, and what if the messages are
// spread over its cluster before they travel far?
#include <cstdio>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/machine_model.hpp>
#include <pleat/runtime/routing.hpp>

namespace {

pleat::task<> pour_out(pleat::vp& me) {
  if (me.rank() == 0)
    for (std::size_t k = 0; k < me.size(); ++k) me.send(me.size() / 2, k);
  co_await me.sync(0);
  while (me.receive()) {
  }
}

double time_on_mesh(pleat::routing how) {
  const pleat::cost_trace costs = pleat::evaluate(256, pour_out, {.routing = how});
  const pleat::machine_model mesh = pleat::mesh_2d(costs.labels());
  return costs.D(costs.labels(), mesh.g, mesh.l);
}

}  // namespace

int main() {
  const double direct = time_on_mesh(pleat::routing::direct);
  const double spread = time_on_mesh(pleat::routing::ascend_descend);
  std::printf("on a mesh of 256 processors: direct %.0f, ascend-descend %.0f\n", direct, spread);
  return spread < direct ? 0 : 1;
}
