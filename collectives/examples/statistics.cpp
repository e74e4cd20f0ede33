// SPDX-License-Identifier: Apache-2.0
// Mean, deviation and extremes of samples that lie spread over virtual processors, some hundred
// with each: what each has is combined, and what must be known everywhere is broadcast.
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/collective_options.hpp>
#include <pleat/collectives/commutes.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

struct statistics {
  double mean = 0, deviation = 0, greatest = 0;
};

pleat::task<> describe(pleat::vp& me, std::span<const double> samples, statistics& result) {
  double mine[2] = {0, double(samples.size())}, all[2] = {};
  for (const double x : samples) mine[0] += x;
  co_await pleat::all_reduce(me, mine, all, std::plus<>{});  // the same on all, to the last bit
  const double mean = all[0] / all[1];

  double squares[1] = {}, sum[1] = {};
  double most[1] = {samples.front()}, greatest[1] = {};
  for (const double x : samples) {
    squares[0] += (x - mean) * (x - mean);
    most[0] = pleat::maximum()(most[0], x);
  }
  const pleat::collective_options to_last{.root = me.size() - 1};
  co_await pleat::reduce(me, squares, sum, std::plus<>{}, to_last);
  co_await pleat::reduce(me, most, greatest, pleat::maximum{}, to_last);

  if (me.rank() == me.size() - 1) result = {mean, std::sqrt(sum[0] / all[1]), greatest[0]};
  co_await pleat::broadcast(me, std::span(&result, 1), to_last);
}

}  // namespace

int main() {
  constexpr std::size_t vps = 6, each = 500;
  std::vector<std::vector<double>> samples(vps);
  for (std::size_t r = 0; r < vps; ++r)
    for (std::size_t i = 0; i < each; ++i) samples[r].push_back(double((r * each + i) % 7));

  std::vector<statistics> results(vps);
  pleat::machine machine;
  machine.run(vps,
              [&](pleat::vp& me) { return describe(me, samples[me.rank()], results[me.rank()]); });

  bool right = true;
  for (const statistics& one : results)
    right = right && std::abs(one.mean - 3) < 0.01 && std::abs(one.deviation - 2) < 0.01 &&
            one.greatest == 6;
  std::printf("mean %.3f, deviation %.3f, greatest %.0f\n", results[0].mean, results[0].deviation,
              results[0].greatest);
  return right ? 0 : 1;
}
