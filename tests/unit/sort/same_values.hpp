// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

/// Tells whether both hold the same values in any order; std::is_permutation takes n² comparisons.
template <class T, class Projection = std::identity>
bool same_values(std::vector<T> a, std::vector<T> b, Projection by = {}) {
  std::ranges::sort(a, {}, by);
  std::ranges::sort(b, {}, by);
  return a == b;
}
