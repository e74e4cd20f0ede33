// SPDX-License-Identifier: Apache-2.0
// Many transforms side by side: each is the one the definition says, whatever stands beside it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/aligned_allocator.h>

#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_reference.hpp"
#include "random_rounds.hpp"
#include "unit/every_target.hpp"

namespace fft_many_test {

using namespace pleat::detail::fourier;

class fft_many : public every_target {};
ON_EVERY_TARGET(fft_many);

/// Transforms `count` sequences of n numbers that begin `shift` numbers behind a line.
template <class T>
std::vector<std::complex<T>> transformed(const std::vector<std::complex<T>>& x, std::size_t count,
                                         const mode<T>& how, std::size_t shift, bool in_place) {
  const std::complex<T> guard(7, 7);
  const auto block = hwy::AllocateAligned<std::complex<T>>(x.size() + shift + 1);
  std::fill_n(block.get(), x.size() + shift + 1, guard);
  const std::span<std::complex<T>> to(block.get() + shift, x.size());
  if (in_place) std::ranges::copy(x, to.begin());
  const batch<T> work{plan_for<T>(x.size() / count),
                      reinterpret_cast<const T*>(in_place ? to.data() : x.data()),
                      reinterpret_cast<T*>(to.data()), count, how};
  const auto memory = hwy::AllocateAligned<T>(sequence_numbers(work));
  transform_sequences<T>(work, {0, count}, memory.get());
  EXPECT_TRUE(shift == 0 || to.data()[-1] == guard);
  EXPECT_EQ(block[x.size() + shift], guard);
  return {to.begin(), to.end()};
}

template <class T> void expect_each_transformed(std::size_t n, std::size_t count) {
  const auto x = random_numbers<T>(n * count, static_cast<unsigned>(n + 1000 * count));
  const mode<T> inverse{.inverse = true, .scale = T(0.5)};
  const auto apart = transformed<T>(x, count, {}, count % 3, false);
  const auto in_place = transformed<T>(x, count, {}, n % 3, true);
  const auto streamed = transformed<T>(x, count, {.stream = true}, 0, false);
  const auto back = transformed<T>(x, count, inverse, 0, true);
  EXPECT_EQ(in_place, apart);
  EXPECT_EQ(streamed, apart);
  for (std::size_t i = 0; i < count; ++i) {
    const auto numbers = widened(line_of(x, i, n));
    auto halved = reference_transform(numbers, 1);
    for (auto& number : halved) number *= 0.5L;
    ASSERT_LE(relative_error(line_of(apart, i, n), reference_transform(numbers)), allowed_error(n))
        << i;
    ASSERT_LE(relative_error(line_of(back, i, n), halved), allowed_error(n)) << i;
  }
}

TEST_P(fft_many, each_is_what_the_definition_says) {
  std::vector<std::size_t> all{49, 60, 64, 77, 100, 121, 128, 183, 243, 500, 67, 1000, 1001};
  for (std::size_t n = 1; n <= 40; ++n) all.push_back(n);
  for (const std::size_t n : all) {
    for (const std::size_t count : {1, 3, 8, 17}) {
      SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(n));
      expect_each_transformed<double>(n, count);
      expect_each_transformed<float>(n, count);
    }
  }
}

TEST_P(fft_many, numbers_that_are_none_stay_with_their_sequence) {
  for (const std::size_t n : {3, 6, 8, 20, 100}) {
    const std::size_t count = 19;
    auto x = random_numbers<double>(n * count, 5);
    const auto expected = transformed<double>(x, count, {}, 0, false);
    const std::size_t wrong = 11;
    x[wrong * n + 1] = std::numeric_limits<double>::quiet_NaN();
    const auto got = transformed<double>(x, count, {}, 0, false);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (i / n != wrong) {
        ASSERT_EQ(got[i], expected[i]) << i;
      }
    }
  }
}

/// Real numbers, those of sequence i as large as 10^(±i).
template <class T> void expect_each_real_transformed(std::size_t n, std::size_t count) {
  const std::complex<T> guard(7, 7);
  const std::size_t length = n / 2 + 1;
  std::vector<T> x;
  for (std::size_t i = 0; i < count; ++i) {
    for (const T number : random_reals<T>(n, static_cast<unsigned>(n + i)))
      x.push_back(number * static_cast<T>(std::pow(10, 5 * static_cast<int>(i % 3))));
  }
  std::vector<std::complex<T>> y(length * count + 2, guard);
  const batch<T> work = real_batch<T>(n, x.data(), reinterpret_cast<T*>(y.data() + 1), count,
                                      mode<T>{.scale = T(0.5)});
  const auto memory = hwy::AllocateAligned<T>(sequence_numbers(work));
  transform_sequences<T>(work, {0, count}, memory.get());
  ASSERT_EQ(y.front(), guard);
  ASSERT_EQ(y.back(), guard);
  y.erase(y.begin());
  for (std::size_t i = 0; i < count; ++i) {
    auto expected = half_spectrum(line_of(x, i, n));
    for (auto& number : expected) number *= 0.5L;
    const auto results = line_of(y, i, length);
    ASSERT_LE(relative_error(results, expected), 1.5 * allowed_error(n)) << i;
    ASSERT_EQ(results.front().imag(), 0);
    if (n % 2 == 0) {
      ASSERT_EQ(results.back().imag(), 0);
    }
  }
}

TEST_P(fft_many, real_ones_as_well_each_as_exact_as_it_is_alone) {
  for (std::size_t n = 1; n <= 40; ++n) {
    for (const std::size_t count : {1, 3, 8, 17}) {
      SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(n));
      expect_each_real_transformed<double>(n, count);
      expect_each_real_transformed<float>(n, count);
    }
  }
  for (const std::size_t n : {45, 48, 49, 62, 63, 96, 121, 200, 243, 250, 999, 1002, 134, 2048}) {
    SCOPED_TRACE(n);
    expect_each_real_transformed<double>(n, 19);
    expect_each_real_transformed<float>(n, 19);
  }
}

using pleat::fft2, pleat::strided_view;

TEST(fft2_of, without_a_machine_the_default_one_transforms) {
  constexpr std::size_t rows = 20, columns = 30;
  const auto before = random_numbers<double>(rows * columns, 3);
  auto x = before, y = before;
  std::vector<std::complex<double>> z(x.size());
  const auto view = [](auto& of) {
    return strided_view<std::complex<double>>(of.data(), rows, columns, columns);
  };
  pleat::machine m({.processors = 1U});
  fft2(m, view(x));
  fft2(view(y), view(z));
  EXPECT_LE(relative_error(z, widened(x)), allowed_error(rows) + allowed_error(columns));
  fft2(view(z), {.direction = pleat::fft_direction::inverse});
  EXPECT_LE(relative_error(z, widened(before)), 2 * (allowed_error(rows) + allowed_error(columns)));
}

TEST(fft2_of, what_makes_no_sense_is_refused) {
  pleat::machine m({.processors = 2U});
  std::vector<std::complex<double>> numbers(64);
  using view = strided_view<std::complex<double>>;
  auto* const data = numbers.data();
  EXPECT_NO_THROW(fft2(m, view(data, 0, 0, 0)));
  EXPECT_NO_THROW(fft2(m, view(data, 4, 4, 8), view(data + 32, 4, 4, 8)));
  EXPECT_THROW(fft2(m, view(data, 4, 4, 4), view(data + 32, 4, 5, 5)), pleat::usage_error);
  EXPECT_THROW(fft2(m, view(data, 4, 4, 3)), pleat::usage_error);
  EXPECT_THROW(fft2(m, view(data, 4, 4, 4), view(data + 4, 4, 4, 4)), pleat::usage_error);
  EXPECT_THROW(fft2(m, view(data, 4, 4, 4), {.vps = 0}), pleat::usage_error);
}

using complex = std::complex<double>;

TEST(fft_overlap, transforms_of_parts_of_an_array_are_right_or_refused) {
  pleat::machine machine({.processors = 2, .strict = true});
  random_rounds(200, [&](dice& random) {
    const std::size_t batch = 1 + random(4);
    const std::size_t total = batch * random.one_of<std::size_t>({1, 2, 7, 16, 100, 127, 1009});
    const std::size_t a = random(2 * total + 1);
    const std::size_t b = random(3) == 0 ? a : random(2 * total + 1);
    std::vector<complex> array(3 * total);
    for (complex& x : array) x = {static_cast<double>(random(99)), static_cast<double>(random(99))};
    const auto before = array;
    const std::vector<complex> input(array.begin() + static_cast<std::ptrdiff_t>(a),
                                     array.begin() + static_cast<std::ptrdiff_t>(a + total));
    const pleat::fft_options options{.batch = batch,
                                     .vps = random.one_of<std::size_t>({1, 2, 3, 8})};
    const std::span<complex> from(array.data() + a, total), to(array.data() + b, total);
    if (a != b && a < b + total && b < a + total) {
      ASSERT_THROW(pleat::fft(machine, from, to, options), pleat::usage_error);
      ASSERT_EQ(array, before);
      return;
    }
    std::vector<complex> expected(total);
    pleat::fft(machine, input, expected, options);
    pleat::fft(machine, from, to, options);
    ASSERT_TRUE(std::equal(to.begin(), to.end(), expected.begin()));
  });
}

}  // namespace fft_many_test
