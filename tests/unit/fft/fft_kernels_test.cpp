// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft_reference.hpp"
#include "unit/every_target.hpp"

namespace fft_kernels_test {

using namespace pleat::detail::fourier;

class fft_kernels : public every_target {};
ON_EVERY_TARGET(fft_kernels);

template <class T>
std::vector<std::complex<T>> transformed(const std::vector<std::complex<T>>& x, mode<T> how,
                                         bool in_place) {
  const auto plan = plan_for<T>(x.size());
  std::vector<std::complex<T>> result = x, given = x;
  const std::vector<std::complex<T>>& from = in_place ? result : given;
  transform_alone<T>(*plan, reinterpret_cast<const T*>(from.data()), how,
                     reinterpret_cast<T*>(result.data()));
  EXPECT_EQ(given, x);
  return result;
}

template <class T> void expect_transforms(std::size_t n) {
  const auto x = random_numbers<T>(n, static_cast<unsigned>(n));
  // The same for all kernels.
  static std::map<std::size_t, std::vector<exact>> expected;
  const auto [found, is_new] = expected.try_emplace(n);
  if (is_new) found->second = reference_transform(widened(x));
  const std::vector<exact>& forward = found->second;
  std::vector<exact> backward = forward;
  std::reverse(backward.begin() + 1, backward.end());
  EXPECT_LE(relative_error(transformed<T>(x, {}, false), forward), allowed_error(n)) << n;
  EXPECT_LE(relative_error(transformed<T>(x, {}, true), forward), allowed_error(n)) << n;
  EXPECT_LE(relative_error(transformed<T>(x, {.inverse = true}, false), backward), allowed_error(n))
      << n;
}

TEST_P(fft_kernels, agree_with_the_definition_for_every_small_size) {
  for (std::size_t n = 1; n <= 400; ++n) {
    expect_transforms<double>(n);
    expect_transforms<float>(n);
  }
}

TEST_P(fft_kernels, agree_with_the_definition_for_larger_sizes) {
  for (const std::size_t n : {256, 512, 1000, 1024, 2048, 2187, 3125, 3600, 4096, 6144, 8192, 15360,
                              16384, 16807, 32768}) {
    expect_transforms<double>(n);
    expect_transforms<float>(n);
  }
}

TEST_P(fft_kernels, primes_up_to_61_have_a_butterfly_in_any_stage) {
  for (const std::size_t n : {11 * 13, 11 * 11 * 11, 17 * 31 * 7, 61 * 8, 59 * 53, 41 * 43 * 2,
                              64 * 37, 13 * 1024, 47 * 61 * 4, 23 * 29 * 19, 28'561, 31 * 512}) {
    EXPECT_NE(plan_for<double>(n)->method, method::chirp);
    expect_transforms<double>(n);
    expect_transforms<float>(n);
  }
}

TEST_P(fft_kernels, primes_that_fill_no_lanes_are_one_convolution) {
  for (const std::size_t n : {1009, 2039}) {
    if (lanes<float>() > 1) {
      EXPECT_EQ(plan_for<float>(n)->method, method::chirp) << n;
    }
    expect_transforms<double>(n);
    expect_transforms<float>(n);
  }
}

// 66, 256 and 352 numbers are convolutions as they are; 106, 508 and 1020 have a large prime factor
// or cost more than twice as many that have none.
TEST_P(fft_kernels, lines_of_a_large_prime_are_convolutions_of_their_own) {
  for (const std::size_t n : {16 * 67, 64 * 107, 61 * 67, 32 * 257, 24 * 353, 67 * 67 * 4,
                              128 * 127, 16 * 509, 8 * 1021}) {
    EXPECT_NE(plan_for<double>(n)->method, method::chirp) << n;
    expect_transforms<double>(n);
    expect_transforms<float>(n);
  }
}

/// Numbers of memory besides the user's for n complex ones, in units of n.
template <class T> double memory_of(std::size_t n) {
  return static_cast<double>(alone_numbers(*plan_for<T>(n))) / static_cast<double>(2 * n);
}

TEST_P(fft_kernels, memory_is_the_size_of_the_input_or_of_the_convolution) {
  for (const std::size_t n : {1 << 16, 100'000, 13 * 4096, 28'561 * 4, 61 * 61 * 16})
    EXPECT_LE(memory_of<double>(n), 1.3) << n;
  for (const std::size_t n : {65'537, 99'991}) EXPECT_LE(memory_of<double>(n), 2.4) << n;
  // A matrix, and two blocks of rows for the convolutions of its lines.
  EXPECT_LE(memory_of<double>(20 * 2003), 3.5);
}

TEST_P(fft_kernels, scale_multiplies_every_result) {
  for (const std::size_t n : {7, 64, 600, 16384, 11, 67}) {
    const auto x = random_numbers<double>(n, 1);
    auto expected = transformed<double>(x, {}, false);
    for (auto& number : expected) number *= 0.25;
    EXPECT_EQ(transformed<double>(x, {.scale = 0.25}, false), expected) << n;
  }
}

template <class T> void expect_copied_rows(bool stream) {
  constexpr std::size_t rows = 3;
  for (std::size_t count = 0; count < 40; ++count) {
    for (std::size_t shift = 0; shift < 2 * line_bytes / sizeof(T); ++shift) {
      const std::size_t width = count + 1;
      std::vector<T> from(2 * rows * count);
      std::iota(from.begin(), from.end(), T(100));
      std::vector<T> to(shift + 2 * rows * width, 7);
      auto expected = to;
      for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(from.data() + 2 * i * count, 2 * count,
                    expected.data() + shift + 2 * i * width);
      copy_rows<T>({from.data(), count, count}, rows, stream, {to.data() + shift, width, count});
      finish_streams();
      ASSERT_EQ(to, expected) << count << " from " << shift;
    }
  }
}

/// Bytes of the panels of that many VPs, in units of the input.
template <class T> double panels_of(std::size_t n, std::size_t vps) {
  const auto plan = plan_for<T>(n);
  return static_cast<double>(vps * panel<T>::numbers({*plan, vps})) / static_cast<double>(2 * n);
}

TEST(fft_panel, those_of_all_vps_take_an_eighth_of_the_input_at_most_or_a_quarter_for_one) {
  std::size_t used = 0;
  for (const std::size_t n : {1 << 12, 1 << 15, 1 << 16, 1 << 17, 3 << 16, 1 << 19, 1 << 20,
                              61 * 61 * 16, 59 * 4096, 1 << 21}) {
    for (const std::size_t vps : {1, 2, 3, 8, 64}) {
      EXPECT_LE(panels_of<double>(n, vps), vps == 1 ? 0.251 : 0.126)
          << n << " on " << vps;  // whole lines
      EXPECT_LE(panels_of<float>(n, vps), vps == 1 ? 0.251 : 0.126) << n << " on " << vps;
      if (panels_of<double>(n, vps) > 0) ++used;
    }
  }
  EXPECT_GE(used, 10U);
  EXPECT_GT(panels_of<double>(1 << 20, 2), 0);
}

TEST(fft_panel, moves_rows_of_any_length_to_anywhere_in_a_line) {
  for (const bool stream : {false, true}) {
    expect_copied_rows<float>(stream);
    expect_copied_rows<double>(stream);
  }
}

TEST(fft_plan, roots_are_exact_at_the_eighths_and_on_the_circle) {
  EXPECT_EQ(root_of_unity(0, 12).re, 1);
  EXPECT_EQ(root_of_unity(3, 12).re, 0);
  EXPECT_EQ(root_of_unity(3, 12).im, -1);
  EXPECT_EQ(root_of_unity(6, 12).re, -1);
  EXPECT_EQ(root_of_unity(9, 12).im, 1);
  EXPECT_EQ(root_of_unity(13, 12).re, root_of_unity(1, 12).re);
  for (const std::size_t n : {1, 2, 3, 7, 8, 100, 1023}) {
    const root_table table(n);
    for (std::size_t k = 0; k < n; ++k) {
      const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                static_cast<long double>(n);
      ASSERT_NEAR(root_of_unity(k, n).re, static_cast<double>(std::cos(angle)), 1.2e-16);
      ASSERT_NEAR(root_of_unity(k, n).im, static_cast<double>(-std::sin(angle)), 1.2e-16);
      ASSERT_NEAR(table(k).re, static_cast<double>(std::cos(angle)), 4e-16);
      ASSERT_NEAR(table(k).im, static_cast<double>(-std::sin(angle)), 4e-16);
    }
  }
}

TEST(fft_plan, is_kept_for_the_next_transform_of_its_size_and_given_up_for_others) {
  const auto plan = plan_for<double>(48);
  EXPECT_EQ(plan_for<double>(48), plan);
  for (std::size_t n = 50; n < 50 + 2 * plans_kept; ++n) plan_for<double>(n);
  EXPECT_NE(plan_for<double>(48), plan);
}

TEST(fft_plan, factors_are_those_of_a_butterfly_and_then_the_greater_primes) {
  EXPECT_EQ(radices_of(1), std::vector<unsigned>{});
  EXPECT_EQ(radices_of(60), (std::vector<unsigned>{5, 3, 4}));
  EXPECT_EQ(radices_of(64), (std::vector<unsigned>{8, 8}));
  EXPECT_EQ(radices_of(8 * 61 * 67 * 71 * 71), (std::vector<unsigned>{61, 8, 67, 71, 71}));
  EXPECT_EQ(greatest_prime_of(1), 1U);
  EXPECT_EQ(greatest_prime_of(4096), 2U);
  EXPECT_EQ(greatest_prime_of(61 * 9), 61U);
  EXPECT_EQ(greatest_prime_of(4'294'967'291U), 4'294'967'291U);
}

TEST(fft_plan, a_convolution_is_of_a_smooth_size_and_not_twice_as_large) {
  for (const std::size_t lane_count : {1, 4, 16}) {
    for (std::size_t n = 1; n < 3000; ++n) {
      const std::size_t m = convolution_size(n, lane_count);
      ASSERT_TRUE(is_smooth(m));
      ASSERT_GE(m, n);
      ASSERT_LT(m, 2 * n);
    }
    for (const std::size_t n : {10'000, 131'073, 2'000'001})
      EXPECT_LE(convolution_size(n, lane_count), n + n / 8) << n;
  }
}

}  // namespace fft_kernels_test
