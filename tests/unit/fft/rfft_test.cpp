// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_reference.hpp"
#include "unit/runtime/machines.hpp"

namespace rfft_test {

using pleat::fft_norm;
using pleat::irfft;
using pleat::rfft;

template <class T> std::vector<T> random_reals(std::size_t n, unsigned seed) {
  std::vector<T> x(n);
  const auto numbers = random_numbers<T>(n, seed);
  std::ranges::transform(numbers, x.begin(), [](const auto& number) { return number.real(); });
  return x;
}
template <class T> std::vector<exact> half_spectrum(const std::vector<T>& x) {
  auto spectrum = reference_transform(std::vector<exact>(x.begin(), x.end()));
  spectrum.resize(x.size() / 2 + 1);
  return spectrum;
}
/// ‖x − y‖ / ‖y‖ in units of ε.
template <class T> double difference(const std::vector<T>& x, const std::vector<T>& y) {
  const std::vector<std::complex<T>> as_complex(x.begin(), x.end());
  return relative_error(as_complex, std::vector<exact>(y.begin(), y.end()));
}

class rfft_of : public machines {
 protected:
  template <class T>
  void expect_transforms(pleat::machine& m, std::size_t n,
                         const std::vector<std::optional<std::size_t>>& all_vps) {
    const auto x = random_reals<T>(n, static_cast<unsigned>(n));
    const auto expected = half_spectrum(x);
    for (const auto& vps : all_vps) {
      std::vector<std::complex<T>> y(n / 2 + 1, {7, 7});
      rfft(m, x, y, {.vps = vps});
      ASSERT_LE(relative_error(y, expected), allowed_error(n))
          << n << " on " << vps.value_or(0) << " VPs";
      EXPECT_EQ(y.front().imag(), 0);
      if (n % 2 == 0) {
        EXPECT_EQ(y.back().imag(), 0);
      }
      std::vector<T> z(n, 7);
      irfft(m, y, z, {.vps = vps});
      ASSERT_LE(difference(z, x), 2 * allowed_error(n)) << "and back, " << n;
    }
  }
};

TEST_F(rfft_of, any_size_is_the_definitions_on_any_number_of_workers_and_vps) {
  for (const unsigned workers : {1U, 3U}) {
    pleat::machine m({.processors = workers, .strict = true});  // what is lent is left alone
    for (const std::size_t n : {1,  2,   3,   4,   5,   6,   8,   15,   16,   22,   32,   64,  77,
                                97, 100, 128, 134, 194, 256, 527, 1000, 1009, 1024, 2310, 4006}) {
      expect_transforms<double>(m, n, {1, 2, 3, 4, 7, 16, 64});
      expect_transforms<float>(m, n, {std::nullopt});
    }
  }
}

TEST_F(rfft_of, without_a_machine_the_default_one_transforms) {
  const auto x = random_reals<double>(1000, 3);
  std::vector<std::complex<double>> y(501);
  std::vector<double> z(1000);
  rfft(x, y);
  EXPECT_LE(relative_error(y, half_spectrum(x)), allowed_error(x.size()));
  irfft(y, z);
  EXPECT_LE(difference(z, x), 2 * allowed_error(x.size()));
}

TEST_F(rfft_of, imaginary_parts_no_spectrum_has_are_not_read) {
  pleat::machine m({.processors = 1U});
  for (const std::size_t n : {6, 7}) {
    const auto x = random_reals<double>(n, 3);
    std::vector<std::complex<double>> y(n / 2 + 1);
    rfft(m, x, y);
    std::vector<double> clean(n), spoilt(n);
    irfft(m, y, clean);
    y.front().imag(5);
    if (n % 2 == 0) y.back().imag(-3);
    irfft(m, y, spoilt);
    EXPECT_EQ(clean, spoilt);
  }
}

TEST_F(rfft_of, what_makes_no_sense_is_refused) {
  pleat::machine m({.processors = 2U});
  std::vector<double> x(12);
  std::vector<std::complex<double>> y(7), none;
  EXPECT_NO_THROW(rfft(m, std::vector<double>(), none));
  EXPECT_NO_THROW(rfft(m, x, y));
  EXPECT_THROW(rfft(m, x, std::span(y).first(6)), pleat::usage_error);
  EXPECT_THROW(irfft(m, std::span(y).first(6), x), pleat::usage_error);
  EXPECT_THROW(rfft(m, x, y, {.batch = 5}), pleat::usage_error);
  EXPECT_THROW(rfft(m, x, y, {.batch = 0}), pleat::usage_error);
  EXPECT_THROW(rfft(m, x, y, {.batch = 2}), pleat::usage_error);
  EXPECT_THROW(rfft(m, x, y, {.vps = 0}), pleat::usage_error);
  std::vector<double> shared(14);
  const std::span same(reinterpret_cast<std::complex<double>*>(shared.data()), 7);
  EXPECT_THROW(rfft(m, std::span(shared).first(12), same), pleat::usage_error);
}

}  // namespace rfft_test
