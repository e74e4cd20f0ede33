// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <pleat/pleat.hpp>

int main() {
  std::vector<int> keys{3, 1, 2};
  pleat::sort(keys);
  return keys == std::vector{1, 2, 3} && pleat::reduce(keys, 0) == 6 ? 0 : 1;
}
