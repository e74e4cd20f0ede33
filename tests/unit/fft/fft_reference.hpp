// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

/// Numbers whose parts lie in [−1, 1), the same for the same seed.
template <class T> std::vector<std::complex<T>> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> part(-1, 1);
  std::vector<std::complex<T>> x(n);
  for (auto& number : x) {
    const T re = part(random);
    number = {re, part(random)};
  }
  return x;
}

using exact = std::complex<long double>;

/// x[first], x[first + step], … by the definition, divided by small factors first as long as there
/// are more than 32; `roots` of order x.size().
inline std::vector<exact> reference_part(const std::vector<exact>& x, std::size_t first,
                                         std::size_t step, const std::vector<exact>& roots) {
  const std::size_t n = x.size() / step;
  std::vector<exact> result(n);
  const auto add = [&](const std::vector<exact>& part, std::size_t j) {
    for (std::size_t k = 0; k < n; ++k)
      result[k] += roots[j * k % n * step] * part[k % part.size()];
  };
  for (const std::size_t prime : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 61}) {
    if (n <= 32 || n == prime || n % prime != 0) continue;
    for (std::size_t j = 0; j < prime; ++j)
      add(reference_part(x, first + j * step, step * prime, roots), j);
    return result;
  }
  for (std::size_t j = 0; j < n; ++j) add({x[first + j * step]}, j);
  return result;
}

/// sign −1: forward.
inline std::vector<exact> reference_transform(const std::vector<exact>& x, int sign = -1) {
  const std::size_t n = x.size();
  std::vector<exact> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = sign * 2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(k) / static_cast<long double>(n);
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  return n == 0 ? roots : reference_part(x, 0, 1, roots);
}

template <class T> std::vector<exact> widened(const std::vector<std::complex<T>>& x) {
  return std::vector<exact>(x.begin(), x.end());
}

/// ‖x − expected‖ / ‖expected‖ in units of ε.
template <class T>
double relative_error(const std::vector<std::complex<T>>& x, const std::vector<exact>& expected) {
  long double difference = 0;
  long double norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::norm(exact(x[i]) - expected[i]);
    norm += std::norm(expected[i]);
  }
  if (norm == 0) return difference == 0 ? 0 : std::numeric_limits<double>::infinity();
  return static_cast<double>(std::sqrt(difference / norm)) / std::numeric_limits<T>::epsilon();
}

/// Error that is promised for any size: 2·log2 n; 2 for n = 1.
inline double allowed_error(std::size_t n) {
  return std::max(2.0, 2 * std::log2(static_cast<double>(n)));
}
