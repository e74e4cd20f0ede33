// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft_plan.hpp>
#include <pleat/runtime/error.hpp>

#include "fft_reference.hpp"

namespace fft_plan_test {

template <class T> void expect_plan_transforms(std::size_t n, std::size_t batch) {
  SCOPED_TRACE(std::to_string(batch) + " of " + std::to_string(n));
  const auto x = random_numbers<T>(n * batch, static_cast<unsigned>(n));
  pleat::fft_plan<T> forward(n, {.batch = batch});
  pleat::fft_plan<T> inverse(n, {.direction = pleat::fft_direction::inverse, .batch = batch});
  ASSERT_EQ(forward.size(), n * batch);
  std::vector<std::complex<T>> y(n * batch), again(n * batch);
  forward(x, y);
  pleat::fft_plan<T> copy(forward);  // with memory of its own
  copy(x, again);
  EXPECT_EQ(again, y);
  inverse(again);
  EXPECT_LE(relative_error(again, widened(x)), 2 * allowed_error(n));
  for (std::size_t i = 0; i < batch; ++i) {
    EXPECT_LE(relative_error(line_of(y, i, n), reference_transform(widened(line_of(x, i, n)))),
              allowed_error(n));
  }
}

TEST(fft_plan_object, transforms_again_and_again) {
  for (const std::size_t n : {1, 2, 3, 8, 16, 31, 64, 67, 100, 512, 1000, 16384}) {
    for (const std::size_t batch : {1, 3, 20}) {
      if (n * batch > 40'000) continue;
      expect_plan_transforms<double>(n, batch);
      expect_plan_transforms<float>(n, batch);
    }
  }
}

template <class T> void expect_real_plan_transforms(std::size_t n, std::size_t batch) {
  SCOPED_TRACE(std::to_string(batch) + " of " + std::to_string(n));
  const auto x = random_reals<T>(n * batch, 3);
  pleat::rfft_plan<T> plan(n, {.batch = batch});
  ASSERT_EQ(plan.real_size(), n * batch);
  std::vector<std::complex<T>> y(plan.spectrum_size());
  std::vector<T> back(n * batch);
  for (int round = 0; round < 2; ++round) {
    plan(x, y);
    plan.inverse(y, back);
  }
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::abs(x[i] - back[i])));
  EXPECT_LE(worst, 8 * allowed_error(n) * std::numeric_limits<T>::epsilon());
  y.resize(n / 2 + 1);
  EXPECT_LE(relative_error(y, half_spectrum(line_of(x, 0, n))), 1.5 * allowed_error(n));
}

TEST(fft_plan_object, transforms_real_numbers_there_and_back) {
  for (const std::size_t n : {1, 2, 3, 4, 7, 16, 30, 67, 100, 128, 1001, 4096}) {
    for (const std::size_t batch : {1, 3, 20}) {
      expect_real_plan_transforms<double>(n, batch);
      expect_real_plan_transforms<float>(n, batch);
    }
  }
}

TEST(fft_plan_object, refuses_what_it_is_not_for) {
  EXPECT_THROW(pleat::fft_plan<double>(0), pleat::usage_error);
  EXPECT_THROW(pleat::fft_plan<double>(4, {.batch = 0}), pleat::usage_error);
  EXPECT_THROW(pleat::rfft_plan<float>(0), pleat::usage_error);
  pleat::fft_plan<double> plan(4);
  std::vector<std::complex<double>> x(8);
  const std::span<std::complex<double>> all(x);
  EXPECT_THROW(plan(all, all), pleat::usage_error);
  EXPECT_THROW(plan(all.first(4), all.subspan(2, 4)), pleat::usage_error);
  EXPECT_NO_THROW(plan(all.first(4), all.last(4)));
  pleat::rfft_plan<double> real(4);
  std::vector<double> numbers(4);
  EXPECT_THROW(real(numbers, all), pleat::usage_error);
  EXPECT_THROW(real.inverse(all.first(3), std::span<double>(numbers).first(3)), pleat::usage_error);
  EXPECT_NO_THROW(real(numbers, all.first(3)));
}

}  // namespace fft_plan_test
