// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <pleat/oblivious/sort.hpp>

void sorted(std::vector<std::string>& values) {
  pleat::stable_sort(values, [](int a, int b) { return a < b; });
}
