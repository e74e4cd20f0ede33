// SPDX-License-Identifier: Apache-2.0
// A program written with OpenMP, whose threads do a machine's work too.
#include <cstdio>
#include <vector>

#include <pleat/runtime/host/openmp.hpp>

namespace {

// Adds to every VP's number that of the VP before it.
pleat::task<> add_neighbour(pleat::vp& me, std::vector<long>& x) {
  me.send((me.rank() + 1) % me.size(), x[me.rank()]);
  co_await me.sync(0);
  x[me.rank()] += me.receive()->get<long>();
}

}  // namespace

int main() {
  pleat::machine on({.workers = pleat::workers::borrowed});
  std::vector<long> x(1000, 1);
  const auto step = [&] { on.run(x.size(), [&](pleat::vp& me) { return add_neighbour(me, x); }); };
  // A region of the machine's.
  pleat::openmp::region(on, step);
  // A region of the program's, between two of its loops.
  const int n = static_cast<int>(x.size());
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] *= 10;
    pleat::openmp::by_team(on, step);
#pragma omp for
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] += 2;
  }
  std::printf("%ld, and a machine as large as a region has %u processors\n", x[7],
              pleat::openmp::processors());
  for (const long value : x)
    if (value != 42) return 1;
  return 0;
}
