// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <vector>

#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  std::vector<unsigned> keys(100'000);
  unsigned state = 1;
  for (unsigned& key : keys) key = state = state * 1664525U + 1013904223U;
  std::vector<unsigned> sorted = keys;
  std::sort(sorted.begin(), sorted.end());

  pleat::machine machine;
  pleat::sort(machine, keys);
  std::cout << "oblivious: " << keys.size() << " keys sorted\n";
  return keys == sorted ? 0 : 1;
}
