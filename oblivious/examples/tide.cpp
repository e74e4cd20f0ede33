// SPDX-License-Identifier: Apache-2.0
//
// A record of a tide gauge that may lie on several machines: readings without gaps, how often each
// level came, and when the water rose or fell.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/unique.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

struct reading {
  std::uint32_t minute;
  std::int32_t centimetres;  // negative: the gauge was out of order
};

}  // namespace

int main() {
  constexpr std::size_t n = 10 * 745;  // ten tides of 745 minutes
  pleat::machine machine;              // over many processes: pleat::mpi::over(MPI_COMM_WORLD)
  pleat::distributed<reading> record(machine, n);
  record.fill(machine, [](std::size_t i) {
    const double level = 200 - 150 * std::cos(2 * 3.14159265358979 * static_cast<double>(i) / 745);
    return reading{static_cast<std::uint32_t>(i),
                   i % 100 == 99 ? -1 : static_cast<std::int32_t>(level)};
  });

  const pleat::distributed<reading> read = pleat::copy_if(
      machine, record, [](std::int32_t level) { return level >= 0; }, &reading::centimetres);
  std::vector<std::size_t> metres(4);
  pleat::histogram(machine, read, metres, [](const reading& x) { return x.centimetres / 100; });
  std::cout << read.size() << " readings of " << n << "; metres 0 to 3:";
  for (const std::size_t count : metres) std::cout << ' ' << count;

  const auto high = [](const reading& x) { return x.centimetres >= 200; };
  const pleat::distributed<reading> turns = pleat::unique(
      machine, read, [&](const reading& a, const reading& b) { return high(a) == high(b); });
  std::cout << "; " << turns.size() << " times above or below the mean\n";
  return read.size() == n - n / 100 && turns.size() == 21 ? 0 : 1;
}
