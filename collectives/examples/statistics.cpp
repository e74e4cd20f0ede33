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

  double squares = 0, most = samples.front();
  for (const double x : samples) {
    squares += (x - mean) * (x - mean);
    most = pleat::maximum()(most, x);
  }
  const pleat::collective_options to_last{.root = me.size() - 1};
  const auto sum = co_await pleat::reduce(me, squares, std::plus<>{}, to_last);  // the last one's
  const auto greatest = co_await pleat::reduce(me, most, pleat::maximum{}, to_last);

  if (sum && greatest) result = {mean, std::sqrt(*sum / all[1]), *greatest};
  result = co_await pleat::broadcast(me, result, to_last);
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
