// SPDX-License-Identifier: Apache-2.0
// Runs a machine on the threads of oneTBB, in a program that uses oneTBB for its other work.
#include <cstdio>

#include <pleat/runtime/host/tbb.hpp>

namespace {

// Sums all ranks along a binary tree.
pleat::task<> sum(pleat::vp& me, std::size_t& total) {
  std::size_t mine = me.rank();
  for (std::size_t d = 1; d < me.size(); d *= 2) {
    if (me.rank() % (2 * d) == d) me.send(me.rank() - d, mine);
    co_await me.sync(0);
    if (auto m = me.receive()) mine += m->get<std::size_t>();
  }
  if (me.rank() == 0) total = mine;
}

}  // namespace

int main() {
  pleat::machine on({.workers = pleat::workers::borrowed});
  tbb::task_arena arena;
  std::size_t total = 0;
  pleat::onetbb::in_arena(arena, on,
                          [&] { on.run(1024, [&](pleat::vp& me) { return sum(me, total); }); });
  std::printf("%zu, and a machine as large as oneTBB may be has %u processors\n", total,
              pleat::onetbb::processors());
  return total == 1023 * 1024 / 2 ? 0 : 1;
}
