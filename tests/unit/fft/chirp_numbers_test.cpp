// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/fft/matrix.hpp>

namespace chirp_numbers_test {

using namespace pleat::detail::fourier;

// Covers j² of more than 64 bits. For odd n, (n − d)² is n + d² modulo 2n.
TEST(chirp_numbers, are_roots_of_unity_whose_exponents_are_squares) {
  for (const std::size_t n : {std::size_t{3}, std::size_t{10'007}, std::size_t{6'000'000'011}}) {
    const chirp_numbers numbers(n, 3 * n);
    for (const std::size_t d : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
      for (const bool from_the_end : {false, true}) {
        const std::size_t j = from_the_end ? n - d : d - 1;
        const std::size_t power = from_the_end ? (n + d * d) % (2 * n) : j * j;
        const long double angle = std::numbers::pi_v<long double> *
                                  static_cast<long double>(power) / static_cast<long double>(n);
        const std::complex<long double> expected(std::cos(angle), -std::sin(angle));
        const root c = numbers.chirp(j);
        EXPECT_LE(std::abs(std::complex<long double>(c.re, c.im) - expected),
                  4 * std::numeric_limits<double>::epsilon())
            << j << " of " << n;
      }
    }
  }
}

}  // namespace chirp_numbers_test
