// SPDX-License-Identifier: Apache-2.0
// What does my program cost on p processors? Two ways to sum n numbers into VP 0, both correct.
#include <cstdio>
#include <vector>

#include <pleat/runtime/evaluate.hpp>

namespace {

// Sends everything to VP 0: one superstep, and one processor that receives n − 1 messages.
pleat::task<> sum_at_once(pleat::vp& me, long& x) {
  if (me.rank() != 0) me.send(0, x);
  co_await me.sync(0);
  while (auto m = me.receive()) x += m->get<long>();
}

// A binary tree: sums of neighbours first, in the smallest clusters, which most machines keep
// local.
pleat::task<> sum_by_tree(pleat::vp& me, long& x) {
  std::size_t width = 1;
  for (unsigned label = me.labels(); label-- > 0; width *= 2) {
    if (me.rank() % (2 * width) == width) me.send(me.rank() - width, x);
    co_await me.sync(label);
    if (auto m = me.receive()) x += m->get<long>();
  }
}

void print(const char* name, const pleat::cost_trace& costs) {
  std::printf("%s: %zu supersteps, %llu messages\n", name, costs.supersteps().size(),
              static_cast<unsigned long long>(costs.messages()));
  std::printf("      p   H(p, 0) H(p, 100)  wiseness  fullness\n");
  for (unsigned j = 1; j <= costs.labels(); ++j)
    std::printf("%7zu %9.0f %9.0f %9.4f %9.4f\n", std::size_t{1} << j, costs.H(j, 0),
                costs.H(j, 100), costs.wiseness(j), costs.fullness(j));
}

}  // namespace

int main() {
  constexpr std::size_t n = 1024;
  std::vector<long> at_once(n, 1), by_tree(n, 1);
  print("at once",
        pleat::evaluate(n, [&](pleat::vp& me) { return sum_at_once(me, at_once[me.rank()]); }));
  print("by tree",
        pleat::evaluate(n, [&](pleat::vp& me) { return sum_by_tree(me, by_tree[me.rank()]); }));
  return at_once[0] == n && by_tree[0] == n ? 0 : 1;
}
