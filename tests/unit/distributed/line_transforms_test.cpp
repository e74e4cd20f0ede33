// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/distributed/chirp_numbers.hpp>
#include <pleat/oblivious/detail/distributed/line_transforms.hpp>

namespace line_transforms_test {

using namespace pleat::detail::distribution;

/// Does no rank hold more than two times its fair share of the matrix?
void expect_fair(const line_matrix& matrix, std::size_t ranks) {
  for (const unit_shares& shares : {matrix.by_columns(), matrix.by_rows()}) {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      ASSERT_LE(shares.of(rank, ranks).size(), 2 * matrix.size() / ranks)
          << matrix.rows << " x " << matrix.columns << " on " << ranks;
  }
}

TEST(line_matrix, leaves_no_rank_more_than_twice_its_share) {
  for (const std::size_t ranks : {2, 3, 5, 17, 64}) {
    for (std::size_t n = 1; n <= 20'000; n += 7) {
      const line_matrix matrix(n);
      ASSERT_EQ(matrix.size(), n);
      if (matrix.divides(ranks)) expect_fair(matrix, ranks);
    }
  }
}

TEST(line_matrix, of_a_convolution_is_less_than_twice_as_large_and_divides) {
  for (const std::size_t ranks : {2, 3, 5, 17, 64}) {
    for (std::size_t n = 4096; n <= 20'000; n += 7) {
      const line_matrix matrix = line_matrix::of_convolution(2 * n - 1, ranks);
      ASSERT_GE(matrix.size(), 2 * n - 1);
      ASSERT_LT(matrix.size(), 4 * n);
      ASSERT_TRUE(matrix.divides(ranks)) << n << " on " << ranks;
      expect_fair(matrix, ranks);
    }
  }
}

// Then fft of a batch exchanges nothing.
TEST(line_transforms, stay_alone_only_where_blocks_are_whole_lines) {
  for (const std::size_t ranks : {1, 2, 3, 5, 17}) {
    for (std::size_t count = 1; count <= 40; ++count) {
      bool whole = true;
      for (std::size_t rank = 0; rank < ranks; ++rank)
        whole = whole && unit_shares::of_elements(count * 100).of(rank, ranks).first % 100 == 0;
      EXPECT_EQ(line_transforms<double>::stays_alone(count, ranks), whole)
          << count << " on " << ranks;
    }
  }
}

// Also where j² has more than 64 bits. For odd n, (n − d)² is n + d² modulo 2n.
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
        const pleat::detail::fourier::root c = numbers.chirp(j);
        EXPECT_LE(std::abs(std::complex<long double>(c.re, c.im) - expected),
                  4 * std::numeric_limits<double>::epsilon())
            << j << " of " << n;
      }
    }
  }
}

}  // namespace line_transforms_test
