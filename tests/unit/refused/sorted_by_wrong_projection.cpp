// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <pleat/oblivious/sort.hpp>

struct person {
  std::string name;
};

void sorted(pleat::machine& on, std::vector<int>& values) {
  pleat::sort(on, values.begin(), values.end(), std::less<>(), &person::name);
}
