// SPDX-License-Identifier: Apache-2.0
//
// A ledger of transactions that may lie on several machines: the balance behind each of them, how
// much was moved, and where the balance first fell below zero.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t n = 100'000;
  pleat::machine machine;  // over many processes: pleat::mpi::over(MPI_COMM_WORLD)
  pleat::distributed<std::int32_t> cents(machine, n);
  cents.fill(machine, [](std::size_t i) {
    return static_cast<std::int32_t>(i * 7919 % 2001) - 1000;  // paid in, or out
  });

  pleat::distributed<std::int64_t> before(machine, n);
  pleat::exclusive_scan(machine, cents, before, std::int64_t{5000});
  const std::size_t overdrawn =
      pleat::find_if(machine, before, [](std::int64_t balance) { return balance < 0; });
  const std::size_t highest = pleat::max_element(machine, before);
  const auto moved = pleat::transform_reduce(machine, cents, std::int64_t{0}, std::plus<>(),
                                             [](std::int32_t x) { return std::abs(x); });
  std::cout << moved << " cents moved, most before transaction " << highest;
  if (overdrawn == n)
    std::cout << ", never overdrawn\n";
  else
    std::cout << ", overdrawn before transaction " << overdrawn << '\n';

  std::int64_t balance = 5000, all = 0;  // on each process, a loop over all of them
  std::size_t first = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (balance < 0 && first == n) first = i;
    const auto x = static_cast<std::int32_t>(i * 7919 % 2001) - 1000;
    balance += x;
    all += std::abs(x);
  }
  return first == overdrawn && all == moved ? 0 : 1;
}
