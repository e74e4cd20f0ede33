// SPDX-License-Identifier: Apache-2.0
// One virtual processor has all the data and wants all the results; the others do the work: parts
// are scattered, results gathered.
#include <cstdio>
#include <vector>

#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/scatter.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

// Number of steps until the Collatz sequence of n reaches 1.
int steps_of(long n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

// `numbers` and `results` are those of rank 0.
pleat::task<> farm(pleat::vp& me, const std::vector<long>& numbers, std::vector<int>& results) {
  std::vector<long> mine(numbers.size() / me.size());
  co_await pleat::scatter(me, numbers, mine);
  std::vector<int> steps;
  for (const long n : mine) steps.push_back(steps_of(n));
  co_await pleat::gather(me, steps, results);
}

}  // namespace

int main() {
  std::vector<long> numbers(4000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<long>(i) + 1;
  std::vector<int> results(numbers.size());

  pleat::machine machine;
  machine.run(8, [&](pleat::vp& me) { return farm(me, numbers, results); });
  std::printf("27 takes %d steps\n", results[26]);
  return results[26] == 111 && results[3999] == steps_of(4000) ? 0 : 1;
}
