// SPDX-License-Identifier: Apache-2.0
//
// Programs with scratch memory, on odd sizes and on as many threads as VPs, where shares differ in
// size. What one writes behind its memory the address sanitizer finds (red_zones.hpp), two that
// write the same the thread sanitizer; a wrong result any build.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/cholesky.hpp>
#include <pleat/oblivious/closure.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/transpose.hpp>

#include "unit/runtime/machines.hpp"

namespace odd_sizes_test {

using pleat::strided_view;

template <class T> std::vector<T> random_numbers(std::size_t n, unsigned most) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> numbers(n);
  for (T& one : numbers) one = static_cast<T>(random() % most);
  return numbers;
}

/// A machine of p threads, and p VPs.
class odd_sizes : public testing::TestWithParam<unsigned> {
 protected:
  unsigned p = GetParam();
  pleat::machine m{{.processors = p, .threads = {.each = true}}};
};

TEST_P(odd_sizes, of_closure) {
  for (const std::size_t n : {5, 95, 191, 193}) {
    auto paths = random_numbers<float>(n * n, 100'000);
    auto expected = paths;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          expected[i * n + j] =
              std::min(expected[i * n + j], expected[i * n + k] + expected[k * n + j]);
    pleat::closure<pleat::min_plus>(m, strided_view<float>(paths.data(), n, n, n), {.vps = p});
    EXPECT_EQ(paths, expected) << n;
  }
}

TEST_P(odd_sizes, of_matmul) {
  for (const auto& [rows, inner, columns] :
       {std::array<std::size_t, 3>{95, 191, 33}, {193, 31, 77}, {7, 301, 5}}) {
    const auto a = random_numbers<std::uint32_t>(rows * inner, 1000);
    const auto b = random_numbers<std::uint32_t>(inner * columns, 999);
    std::vector<std::uint32_t> c(rows * columns), expected(rows * columns);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < inner; ++k)
        for (std::size_t j = 0; j < columns; ++j)
          expected[i * columns + j] += a[i * inner + k] * b[k * columns + j];
    pleat::matmul(m, strided_view<const std::uint32_t>(a.data(), rows, inner, inner),
                  strided_view<const std::uint32_t>(b.data(), inner, columns, columns),
                  strided_view<std::uint32_t>(c.data(), rows, columns, columns), {.vps = p});
    EXPECT_EQ(c, expected) << rows << " x " << inner << " x " << columns;
  }
}

TEST_P(odd_sizes, of_cholesky_and_the_solution_with_it) {
  for (const std::size_t n : {5, 95, 191, 257}) {
    const auto some = random_numbers<double>(n * n, 17);
    std::vector<double> a(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        a[i * n + j] =
            some[i * n + j] + some[j * n + i] + (i == j ? 40.0 * static_cast<double>(n) : 0);
    auto factor = a;
    pleat::cholesky(m, strided_view<double>(factor.data(), n, n, n), {.vps = p});
    for (std::size_t i = 0; i < n; i += 1 + n / 16)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k <= j; ++k) sum += factor[i * n + k] * factor[j * n + k];
        ASSERT_NEAR(sum, a[i * n + j], 1e-9 * static_cast<double>(n))
            << n << ": " << i << ", " << j;
      }
    const std::size_t columns = 2 * p + 1;
    const auto right = random_numbers<double>(n * columns, 100);
    auto x = right;
    pleat::solve_triangular(m, strided_view<const double>(factor.data(), n, n, n),
                            strided_view<double>(x.data(), n, columns, columns), {.vps = p});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k <= i; ++k) sum += factor[i * n + k] * x[k * columns + j];
        ASSERT_NEAR(sum, right[i * columns + j], 1e-9 * static_cast<double>(n)) << n;
      }
  }
}

TEST_P(odd_sizes, of_transpose) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{95, 191}, {301, 7}}) {
    const auto a = random_numbers<std::uint16_t>(rows * columns, 60'000);
    std::vector<std::uint16_t> b(rows * columns);
    pleat::transpose(m, strided_view<const std::uint16_t>(a.data(), rows, columns, columns),
                     strided_view<std::uint16_t>(b.data(), columns, rows, rows), {.vps = p});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(b[j * rows + i], a[i * columns + j]);
  }
}

TEST_P(odd_sizes, of_sort) {
  const auto sorts = [&]<class T>(std::size_t n, T /*type*/) {
    auto keys = random_numbers<T>(n, 1U << 31);
    auto expected = keys;
    std::ranges::sort(expected);
    pleat::sort(m, keys, {}, {}, {.vps = p});
    EXPECT_EQ(keys, expected) << n << " keys of " << sizeof(T) << " bytes";
  };
  for (const std::size_t n : {37, 4'999, 20'011}) {
    sorts(n, std::uint8_t());
    sorts(n, std::uint32_t());
    sorts(n, double());
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> records(9'973);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i] = {static_cast<std::uint32_t>(i * 7'919 % 101), static_cast<std::uint32_t>(i)};
  auto expected = records;
  std::ranges::sort(expected);
  pleat::sort(m, records, {}, {}, {.vps = p});
  EXPECT_EQ(records, expected);
}

TEST_P(odd_sizes, of_fft_and_back) {
  for (const std::size_t n : {15, 1'009, 2'310, 4'095}) {
    const auto real = random_numbers<double>(n, 1000);
    const std::vector<std::complex<double>> before(real.begin(), real.end());
    auto numbers = before;
    pleat::fft(m, numbers, {.vps = p});
    EXPECT_NEAR(numbers[0].real(), std::accumulate(real.begin(), real.end(), 0.0), 1e-6) << n;
    pleat::fft(m, numbers, {.direction = pleat::fft_direction::inverse, .vps = p});
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(std::abs(numbers[i] - before[i]), 0, 1e-9) << n;
  }
}

TEST_P(odd_sizes, of_stencil) {
  constexpr std::size_t rows = 95, columns = 61, steps = 7;
  auto cells = random_numbers<std::uint32_t>(rows * columns, 1000);
  auto expected = cells;
  for (std::size_t step = 0; step < steps; ++step) {
    const auto before = expected;
    for (std::size_t i = 1; i + 1 < rows; ++i)
      for (std::size_t j = 1; j + 1 < columns; ++j) {
        const std::size_t at = i * columns + j;
        expected[at] = before[at - 1] + 2 * before[at] + before[at + columns];
      }
  }
  pleat::stencil(m, pleat::grid_view<std::uint32_t, 2>(cells.data(), {rows, columns}), steps,
                 [](const auto& u) { return u(0, -1) + 2 * u(0, 0) + u(1, 0); }, {.vps = p});
  EXPECT_EQ(cells, expected);
}

INSTANTIATE_TEST_SUITE_P(threads, odd_sizes, testing::Values(2U, 3U, 8U, 12U, 32U));

}  // namespace odd_sizes_test
