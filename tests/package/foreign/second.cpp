// SPDX-License-Identifier: Apache-2.0
#include "second.hpp"

#include <pleat/pleat.hpp>

long sum_of(const std::vector<int>& numbers) {
  std::vector<int> sorted = numbers;
  pleat::sort(sorted);
  return pleat::reduce(sorted, 0L);
}
