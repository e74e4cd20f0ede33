// SPDX-License-Identifier: Apache-2.0
//
// What `pleat compare` checks before it measures would accept nothing that is wrong.

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "fft/fft_data.hpp"
#include "sort/sort_data.hpp"

namespace verification_test {

using namespace pleat::bench;

pleat::machine& on() {
  static pleat::machine single({.processors = 1});
  return single;
}

// Every result by the definition.
template <class Number> void transform(fft_data<Number>& data) {
  using part = fft_part<Number>;
  const auto& shape = data.shape();
  const std::size_t length = spectrum_columns<Number>(shape);
  for (std::size_t i = 0; i < data.to.size(); ++i) {
    const std::size_t row = i / length;
    const auto k = static_cast<double>(row % shape.rows) / static_cast<double>(shape.rows);
    const auto l = static_cast<double>(i % length) / static_cast<double>(shape.columns);
    const Number* const array = &data.from[row / shape.rows * shape.numbers()];
    std::complex<double> sum;
    for (std::size_t j = 0; j < shape.numbers(); ++j) {
      const double turns =
          static_cast<double>(j / shape.columns) * k + static_cast<double>(j % shape.columns) * l;
      sum += std::complex<double>(array[j]) * std::polar(1.0, -2 * std::numbers::pi * turns);
    }
    data.to[i] = {static_cast<part>(sum.real()), static_cast<part>(sum.imag())};
  }
}

template <class Number> class verified_transforms : public testing::Test {};
using numbers = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(verified_transforms, numbers);

constexpr fft_shape shapes[] = {{.columns = 2},
                                {.columns = 96},
                                {.columns = 97, .batch = 3},
                                {.rows = 12, .columns = 12},
                                {.rows = 9, .columns = 9},
                                {.rows = 6, .columns = 10, .batch = 2}};

TYPED_TEST(verified_transforms, accept_the_definition_s_results) {
  for (const auto& shape : shapes) {
    fft_data<TypeParam> data(on(), shape, 1);
    transform(data);
    EXPECT_NO_THROW(data.verify("the definition"));
  }
}

TYPED_TEST(verified_transforms, refuse_others) {
  for (const auto& shape : shapes) {
    fft_data<TypeParam> data(on(), shape, 1);
    EXPECT_THROW(data.verify("nobody"), pleat::error);
    transform(data);
    for (auto& number : data.to) number /= 2;
    EXPECT_THROW(data.verify("half"), pleat::error);
    if (shape.numbers() == 2) continue;  // its results are real
    transform(data);
    for (auto& number : data.to) number = std::conj(number);
    EXPECT_THROW(data.verify("the inverse"), pleat::error);
  }
}

TYPED_TEST(verified_transforms, refuse_a_transposed_matrix) {
  if constexpr (!std::floating_point<TypeParam>) {
    const std::size_t n = 12;
    fft_data<TypeParam> data(on(), {.rows = n, .columns = n}, 1);
    transform(data);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) std::swap(data.to[i * n + j], data.to[j * n + i]);
    EXPECT_THROW(data.verify("a transposition"), pleat::error);
  }
}

TEST(verified_argsort, accepts_only_the_stable_order) {
  argsort_data<key_value> data(on(), 1000, distribution("few-distinct"), 1);
  std::iota(data.indices.begin(), data.indices.end(), 0U);
  std::ranges::sort(data.indices, {}, [&](key_index i) { return std::pair(data.keys[i].key, i); });
  EXPECT_NO_THROW(data.verify("a stable sort"));
  const auto refused = [&](key_index& at, key_index wrong) {
    const key_index right = std::exchange(at, wrong);
    EXPECT_THROW(data.verify("another"), pleat::error);
    at = right;
  };
  refused(data.indices[500], data.indices[499]);  // one twice
  refused(data.indices[999], 1000);
  std::swap(data.indices[0], data.indices[1]);  // of equal keys
  EXPECT_THROW(data.verify("an unstable sort"), pleat::error);
}

TEST(bytes_of, more_than_can_be_counted_are_refused) {
  static_assert(bytes_of({3, 5, 8}) == 120);
  static_assert(bytes_of({0, 5}) == 0);
  const std::size_t n = std::size_t{1} << 32;
  EXPECT_THROW(big_block(bytes_of({n, n, 16})), pleat::environment_error);
}

}  // namespace verification_test
