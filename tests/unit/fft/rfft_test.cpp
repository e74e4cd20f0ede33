// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_reference.hpp"
#include "random_rounds.hpp"
#include "unit/runtime/machines.hpp"

namespace rfft_test {

using pleat::fft_norm, pleat::irfft, pleat::rfft;

/// ‖x − y‖ / ‖y‖ in units of ε.
template <class T> double difference(const std::vector<T>& x, const std::vector<T>& y) {
  return relative_error(as_complex(x), widened(y));
}

/// 1, a prime (beyond 61 by a convolution), odd, a power of two, or anything, up to `most`; without
/// factors for which the definition takes long.
std::size_t random_length(dice& random, std::size_t most) {
  const auto greatest_factor = [](std::size_t n) {
    for (std::size_t d = 2; d * d <= n; ++d)
      while (n > d && n % d == 0) n /= d;
    return n;
  };
  const auto prime = [&](std::size_t n) { return n > 1 && greatest_factor(n) == n; };
  std::size_t n = 1 + random(most);
  switch (random(6)) {
    case 0:
      return 1 + random(3);
    case 1:
      n = std::min<std::size_t>(n, 2000);
      while (!prime(n)) n = n % most + 1;
      return n;
    case 2:
      n = n - 1 + n % 2;
      break;
    case 3:
      return std::bit_floor(n);
    default:
      break;
  }
  while (greatest_factor(n) > 2000) n = n > 2 ? n - 2 : most;
  return n;
}
std::optional<std::size_t> random_vps(dice& random) {
  if (random(3) == 0) return std::nullopt;
  return random.one_of<std::size_t>({1, 2, 3, 5, 16, 100});
}
fft_norm random_norm(dice& random) {
  return random.one_of(
      {fft_norm::backward, fft_norm::forward, fft_norm::orthogonal, fft_norm::none});
}
/// Divisor of a transform of n numbers.
long double divisor(fft_norm norm, bool forward, std::size_t n) {
  const auto all = static_cast<long double>(n);
  if (norm == fft_norm::orthogonal) return std::sqrt(all);
  return norm == (forward ? fft_norm::forward : fft_norm::backward) ? all : 1;
}

class rfft_of : public machines {};

/// Transforms real numbers, surrounded by numbers nobody may write, there and back.
template <class T> void expect_transforms(pleat::machine& on, dice& random, std::size_t most) {
  const std::size_t n = random_length(random, most), half = n / 2 + 1;
  const std::size_t batch = random(3) == 0 ? 2 + random(4) : 1;
  const pleat::real_fft_options options{random_norm(random), batch, random_vps(random)};
  SCOPED_TRACE(std::to_string(batch) + " transforms of " + std::to_string(n) + " on " +
               std::to_string(options.vps.value_or(0)) + " VPs");
  const auto x = random_reals<T>(n * batch, static_cast<unsigned>(random.word()));
  std::vector<std::complex<T>> y(batch * half + 2, {7, 7});
  rfft(on, x, std::span(y).subspan(1, batch * half), options);
  EXPECT_TRUE(y.front() == std::complex<T>(7, 7) && y.back() == std::complex<T>(7, 7));
  std::vector<T> z(batch * n + 2, 7);
  irfft(on, std::span(y).subspan(1, batch * half), std::span(z).subspan(1, batch * n), options);
  EXPECT_TRUE(z.front() == 7 && z.back() == 7);
  y.erase(y.begin());
  z.erase(z.begin());
  const long double forward_by = divisor(options.norm, true, n);
  const long double both_by = forward_by * divisor(options.norm, false, n);
  for (std::size_t i = 0; i < batch; ++i) {
    const auto numbers = line_of(x, i, n);
    const auto spectrum = line_of(y, i, half);
    EXPECT_EQ(spectrum.front().imag(), 0);
    EXPECT_TRUE(n % 2 != 0 || spectrum.back().imag() == 0);
    auto expected = half_spectrum(numbers);
    for (exact& number : expected) number /= forward_by;
    EXPECT_LE(relative_error(spectrum, expected), allowed_error(n));
    auto undone = widened(numbers);
    for (exact& number : undone) number *= static_cast<long double>(n) / both_by;
    EXPECT_LE(relative_error(as_complex(line_of(z, i, n)), undone), 2 * allowed_error(n));
  }
}

TEST_F(rfft_of, any_size_and_batch_is_the_definitions_on_any_number_of_workers_and_vps) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    pleat::machine on(
        {.processors = workers, .strict = workers != 2});  // what is lent is left alone
    random_rounds(50, [&](dice& random) {
      const std::size_t most = random(20) == 0 ? 120'000 : 400;
      expect_transforms<double>(on, random, most);
      expect_transforms<float>(on, random, most);
    });
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
