// SPDX-License-Identifier: Apache-2.0
//
// The requests that two servers have answered, which may lie on several machines: merged by time,
// the slowest of them, the median, and how many there were of each page.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

struct request {
  std::uint32_t second, page, microseconds;
};

}  // namespace

int main() {
  constexpr std::size_t n = 100'000;
  pleat::machine machine;  // over many processes: pleat::mpi::over(MPI_COMM_WORLD)
  pleat::distributed<request> one(machine, n), other(machine, n / 2), all(machine, n + n / 2);
  const auto answered = [](std::size_t i, std::uint32_t seconds) {
    const auto x = static_cast<std::uint32_t>(i);
    return request{x * seconds, x * 7919 % 100, x * 104'729 % 1'000'003};
  };
  one.fill(machine, [&](std::size_t i) { return answered(i, 2); });
  other.fill(machine, [&](std::size_t i) { return answered(i, 4); });

  pleat::merge(machine, one, other, all, {}, &request::second);
  pleat::reverse(machine, all);  // the last comes first
  const request last = all.gather(machine, {0})[0];

  const std::vector<std::size_t> slowest =
      pleat::top_k(machine, all, 3, {}, &request::microseconds);
  std::cout << "the slowest:";
  for (const request& slow : all.gather(machine, slowest)) std::cout << ' ' << slow.microseconds;

  pleat::nth_element(machine, all, n, {}, &request::microseconds);
  std::cout << " us, two thirds took " << all.gather(machine, {n})[0].microseconds << " at most\n";

  const auto begins = pleat::group_by(machine, all, {}, &request::page);  // page g at begins[g]
  const std::vector<std::uint64_t> first = begins.gather(machine, {0, 1});
  std::cout << begins.size() - 1 << " pages, the first " << first[1] << " times\n";

  pleat::random_shuffle(machine, all, 42);  // its block is a sample of all, on every process
  return last.second == 2 * (n - 1) && begins.size() == 101 && first[1] == (n + n / 2) / 100 ? 0
                                                                                             : 1;
}
