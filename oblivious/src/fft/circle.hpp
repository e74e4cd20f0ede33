// SPDX-License-Identifier: Apache-2.0
#pragma once

// Roots of unity of small orders, as constants.

#include <array>
#include <cstddef>

namespace pleat::detail::fourier {

/// Sine and cosine of an angle up to π/4, by their series, as far as long double goes.
struct sine_cosine {
  long double sine, cosine;
};
constexpr sine_cosine series_of(long double angle) {
  sine_cosine sums{0, 0};
  long double term = 1;
  for (int power = 0; power < 32; power += 4) {
    sums.cosine += term;
    term *= angle / (power + 1);
    sums.sine += term;
    term *= angle / (power + 2);
    sums.cosine -= term;
    term *= angle / (power + 3);
    sums.sine -= term;
    term *= angle / (power + 4);
  }
  return sums;
}

/// e^(2πi·k/R) for k = 0 … R − 1.
template <unsigned R> struct circle {
  std::array<double, R> cosine{};
  std::array<double, R> sine{};

  constexpr circle() {
    constexpr long double pi = 3.14159265358979323846264338327950288L;
    for (unsigned k = 0; k < R; ++k) {
      const unsigned eighth = 8 * k / R;  // the angle is `within` from a multiple of π/2
      const unsigned quarter = (eighth + 1) / 2;
      const long double within = 2 * pi *
                                 (4 * static_cast<long double>(k) -
                                  static_cast<long double>(quarter) * static_cast<long double>(R)) /
                                 (4 * static_cast<long double>(R));
      const sine_cosine near = series_of(within);
      const long double s = near.sine;
      const long double c = near.cosine;
      const long double cosines[] = {c, -s, -c, s};
      const long double sines[] = {s, c, -s, -c};
      cosine[k] = static_cast<double>(cosines[quarter % 4]);
      sine[k] = static_cast<double>(sines[quarter % 4]);
    }
  }
};
template <unsigned R> inline constexpr circle<R> circle_of{};
static_assert(circle_of<12>.cosine[3] == 0 && circle_of<12>.sine[9] == -1);
static_assert(circle_of<12>.sine[1] == 0.5 && circle_of<8>.sine[1] == circle_of<8>.cosine[1]);

}  // namespace pleat::detail::fourier
