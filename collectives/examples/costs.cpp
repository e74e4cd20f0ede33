// SPDX-License-Identifier: Apache-2.0
// A program with collective operations, and what it costs on p processors: each round of an
// operation is a superstep. Two ways to give all VPs the sum of their values, both in ⌈log2 p⌉
// supersteps.
#include <cstdio>
#include <functional>

#include <pleat/collectives/reduce.hpp>
#include <pleat/runtime/evaluate.hpp>

namespace {

// So few bytes are gathered by all VPs, which takes one phase; in two there would be fewer
// messages.
pleat::task<> sum_by_operation(pleat::vp& me, long& sum) {
  sum = co_await pleat::all_reduce(me, 1L, std::plus<>{});
}

// A butterfly: partners in the smallest clusters first.
pleat::task<> sum_by_butterfly(pleat::vp& me, long& sum) {
  sum = 1;
  for (unsigned label = me.labels(); label-- > 0;) {
    me.send(me.rank() ^ std::size_t{1} << (me.labels() - 1 - label), sum);
    co_await me.sync(label);
    if (auto m = me.receive()) sum += m->get<long>();
  }
}

template <class Program> bool print(const char* name, Program program) {
  constexpr std::size_t n = 64;
  bool right = true;
  const pleat::cost_trace costs = pleat::evaluate(n, [&](pleat::vp& me) -> pleat::task<> {
    long sum = 0;
    pleat::task<> work = program(me, sum);
    co_await work;
    right = right && sum == n;
  });
  std::printf("%s: %zu supersteps, %llu messages\n", name, costs.supersteps().size(),
              static_cast<unsigned long long>(costs.messages()));
  for (unsigned j = 2; j <= costs.labels(); j += 2)
    std::printf("  p = %2u: H(p, 100) = %.0f\n", 1u << j, costs.H(j, 100));
  return right;
}

}  // namespace

int main() {
  const bool by_operation = print("all_reduce", sum_by_operation);
  const bool by_butterfly = print("butterfly", sum_by_butterfly);
  return by_operation && by_butterfly ? 0 : 1;
}
