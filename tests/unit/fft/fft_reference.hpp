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

template <class T> std::vector<T> random_reals(std::size_t n, unsigned seed) {
  std::vector<T> x(n);
  std::ranges::transform(random_numbers<T>(n, seed), x.begin(),
                         [](const auto& number) { return number.real(); });
  return x;
}
template <class T> std::vector<std::complex<T>> as_complex(const std::vector<T>& x) {
  return {x.begin(), x.end()};
}
/// The n numbers of line i.
template <class E> std::vector<E> line_of(const std::vector<E>& all, std::size_t i, std::size_t n) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * n);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

using exact = std::complex<long double>;

/// Adds to each result[k] part[k mod size of part] times the root of order roots.size() / step with
/// exponent j·k. Pointers and real numbers, since sanitized tests spend most of their time here.
inline void add_turned(std::vector<exact>& result, const std::vector<exact>& part, std::size_t j,
                       const std::vector<exact>& roots, std::size_t step) {
  const std::size_t n = result.size();
  exact* const to = result.data();
  const exact* const from = part.data();
  const exact* const root = roots.data();
  for (std::size_t k = 0, i = 0, exponent = 0; k < n; ++k) {
    const long double c = root[exponent * step].real(), s = root[exponent * step].imag();
    const long double re = from[i].real(), im = from[i].imag();
    to[k] = {to[k].real() + (c * re - s * im), to[k].imag() + (c * im + s * re)};
    if (++i == part.size()) i = 0;
    exponent += j;
    if (exponent >= n) exponent -= n;
  }
}

/// x[first], x[first + step], … by the definition, divided by factors first as long as there are
/// more than 32; `roots` of order x.size().
inline std::vector<exact> reference_part(const std::vector<exact>& x, std::size_t first,
                                         std::size_t step, const std::vector<exact>& roots) {
  const std::size_t n = x.size() / step;
  std::vector<exact> result(n);
  for (std::size_t prime = 2; n > 32 && prime * prime <= n; ++prime) {
    if (n % prime != 0) continue;
    for (std::size_t j = 0; j < prime; ++j)
      add_turned(result, reference_part(x, first + j * step, step * prime, roots), j, roots, step);
    return result;
  }
  for (std::size_t j = 0; j < n; ++j) add_turned(result, {x[first + j * step]}, j, roots, step);
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

template <class N> std::vector<exact> widened(const std::vector<N>& x) {
  return std::vector<exact>(x.begin(), x.end());
}
/// The first half of the spectrum of real numbers.
template <class T> std::vector<exact> half_spectrum(const std::vector<T>& x) {
  auto spectrum = reference_transform(widened(x));
  spectrum.resize(x.size() / 2 + 1);
  return spectrum;
}

/// ‖x − expected‖ / ‖expected‖ in units of ε.
template <class T>
double relative_error(const std::vector<std::complex<T>>& x, const std::vector<exact>& expected) {
  long double difference = 0, norm = 0;
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
