// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

namespace pleat::bench {

/// The elements of all lists, one list behind the other.
template <class T>
[[nodiscard]] std::vector<T> joined(std::initializer_list<std::span<const T>> lists) {
  std::vector<T> all;
  for (const auto list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace pleat::bench
