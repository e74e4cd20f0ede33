// SPDX-License-Identifier: Apache-2.0
// Programs to count: one value in each virtual processor. What do a sorting network, prefix sums
// and a broadcast cost on 16 processors whose supersteps have a latency?
#include <cstddef>
#include <iostream>
#include <numeric>
#include <vector>

#include <pleat/oblivious/bitonic.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_options.hpp>
#include <pleat/oblivious/tree_broadcast.hpp>
#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t n = 1024;
  constexpr unsigned log_p = 4;
  constexpr double latency = 100;
  pleat::machine counting({.trace = pleat::tracing{}});
  const auto print = [](const char* name, const pleat::run_report& report) {
    std::cout << name << ": " << report.costs->supersteps().size()
              << " supersteps, H = " << report.costs->H(log_p, latency) << '\n';
    return report.costs->H(log_p, latency);
  };

  std::vector<int> keys(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(i * 389 % n);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::vector<int> others = keys, sums(n, 1), copies = keys;

  print("bitonic sort", pleat::bitonic_sort(counting, keys));
  print("columnsort", pleat::sort(counting, others, {}, pleat::sort_options{.vps = n}));
  print("prefix sums", pleat::prefix(counting, sums));
  const double binary = print("broadcast, degree 2", pleat::tree_broadcast(counting, copies));
  const double wide = print(
      "broadcast, degree for this latency",
      pleat::tree_broadcast(counting, copies, {.degree = pleat::sigma_aware_degree(latency)}));
  return keys == sorted && others == sorted && sums.back() == int{n} && wide < binary ? 0 : 1;
}
