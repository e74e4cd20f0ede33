// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

/// n numbers with equal ones, zeros of both signs and infinities; of `of` one is a NaN of either
/// sign.
template <class T> std::vector<T> numbers_with_nans(std::size_t n, unsigned of, unsigned seed) {
  std::mt19937 random(seed);
  const T nan = std::numeric_limits<T>::quiet_NaN(), endless = std::numeric_limits<T>::infinity();
  const T some[] = {T(0), -T(0), endless, -endless};
  std::vector<T> values(n);
  for (T& x : values) {
    x = random() % 8 == 0 ? some[random() % 4]
                          : static_cast<T>(static_cast<int>(random() % 99) - 49);
    if (random() % of == 0) x = random() % 2 == 0 ? nan : -nan;
  }
  return values;
}

/// Numbers that rise or fall, then NaNs: which of two comes first?
struct numbers_then_nans {
  bool falling;

  bool operator()(long double a, long double b) const {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
    return falling ? a > b : a < b;
  }
};

/// The indices of values in that order, of equal ones in theirs.
template <class T>
std::vector<std::size_t> indices_in_order(const std::vector<T>& values, numbers_then_nans order) {
  std::vector<std::size_t> indices(values.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::ranges::stable_sort(indices, order, [&](std::size_t i) { return values[i]; });
  return indices;
}
/// Indices with the last first.
template <class T>
std::vector<std::size_t> indices_from_greatest(const std::vector<T>& values,
                                               numbers_then_nans order) {
  std::vector<std::size_t> indices(values.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::ranges::stable_sort(
      indices, [&](std::size_t i, std::size_t j) { return order(values[j], values[i]); });
  return indices;
}
/// Begins of groups of equal values in that order, and their number at the end.
template <class T>
std::vector<std::size_t> begins_of_groups(const std::vector<T>& values, numbers_then_nans order) {
  const std::vector<std::size_t> sorted = indices_in_order(values, order);
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || order(values[sorted[i - 1]], values[sorted[i]])) begins.push_back(i);
  begins.push_back(sorted.size());
  return begins;
}
