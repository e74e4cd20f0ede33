// SPDX-License-Identifier: Apache-2.0
//
// The oracle's long double has 113 bits on AArch64 and is computed in software, so that the tests
// of unit/fft take minutes under an emulator. These try each kind of size once.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/fft/fft_reference.hpp"

namespace transforms_test {

// Sizes of small butterflies, of all radices, of lanes that are not filled, of convolutions.
constexpr std::size_t sizes[] = {1, 2, 3, 4, 8, 15, 64, 77, 97, 128, 134, 194, 256, 360, 527, 1024};

template <class T> void expect_complex(pleat::machine& m, std::size_t n) {
  const auto x = random_numbers<T>(n, static_cast<unsigned>(n));
  std::vector<std::complex<T>> y(n);
  pleat::fft(m, x, y, {});
  EXPECT_LE(relative_error(y, reference_transform(widened(x))), allowed_error(n)) << n;
  std::vector<std::complex<T>> z(n);
  pleat::fft(m, y, z, {.direction = pleat::fft_direction::inverse});
  EXPECT_LE(relative_error(z, widened(x)), 2 * allowed_error(n)) << "and back, " << n;
}

template <class T> void expect_real(pleat::machine& m, std::size_t n) {
  std::vector<T> x(n);
  std::ranges::transform(random_numbers<T>(n, static_cast<unsigned>(n)), x.begin(),
                         [](const auto& number) { return number.real(); });
  const std::vector<exact> wide(x.begin(), x.end());
  auto expected = reference_transform(wide);
  expected.resize(n / 2 + 1);
  std::vector<std::complex<T>> y(n / 2 + 1);
  pleat::rfft(m, x, y, {});
  EXPECT_LE(relative_error(y, expected), allowed_error(n)) << n;
  std::vector<T> z(n);
  pleat::irfft(m, y, z, {});
  const std::vector<std::complex<T>> back(z.begin(), z.end());
  EXPECT_LE(relative_error(back, wide), 2 * allowed_error(n)) << "and back, " << n;
}

TEST(transforms, of_complex_numbers_and_back_agree_with_the_definition) {
  pleat::machine m({.processors = 2});
  for (const std::size_t n : sizes) {
    expect_complex<double>(m, n);
    expect_complex<float>(m, n);
  }
}

TEST(transforms, of_real_numbers_and_back_agree_with_the_definition) {
  pleat::machine m({.processors = 2});
  for (const std::size_t n : sizes) {
    expect_real<double>(m, n);
    expect_real<float>(m, n);
  }
}

}  // namespace transforms_test
