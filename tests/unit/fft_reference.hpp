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

/// By the definition; from 1024 numbers on divided by small factors first. sign −1: forward.
inline std::vector<exact> reference_transform(const std::vector<exact>& x, int sign = -1) {
  const std::size_t n = x.size();
  std::vector<exact> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = sign * 2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(k) / static_cast<long double>(n);
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  std::vector<exact> result(n);
  for (const std::size_t prime : {2, 3, 5, 7}) {
    if (n < 1024 || n % prime != 0) continue;
    for (std::size_t first = 0; first < prime; ++first) {
      std::vector<exact> part;
      for (std::size_t j = first; j < n; j += prime) part.push_back(x[j]);
      part = reference_transform(part, sign);
      for (std::size_t k = 0; k < n; ++k) result[k] += roots[first * k % n] * part[k % (n / prime)];
    }
    return result;
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) result[k] += x[j] * roots[j * k % n];
  return result;
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

/// 2·log2 n, at least 2; three transforms and two products for sizes with large prime factors.
inline double allowed_error(std::size_t n) {
  const double smooth = std::max(2.0, 2 * std::log2(static_cast<double>(n)));
  for (const std::size_t prime : {2, 3, 5, 7})
    while (n % prime == 0) n /= prime;
  return n == 1 ? smooth : 3 * smooth;
}
