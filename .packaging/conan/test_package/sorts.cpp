// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <pleat/oblivious/sort.hpp>

int main() {
  std::vector<int> numbers{3, 1, 2};
  pleat::sort(numbers);
  return std::is_sorted(numbers.begin(), numbers.end()) ? 0 : 1;
}
