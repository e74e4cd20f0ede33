// SPDX-License-Identifier: Apache-2.0
//
// Programs with scratch memory, on odd sizes and on as many threads as VPs, where shares differ in
// size. What one writes behind its memory the address sanitizer finds (red_zones.hpp), two that
// write the same the thread sanitizer; a result that is not that of one VP any build.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
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

namespace odd_sizes_test {

using pleat::strided_view;

template <class T> std::vector<T> random_numbers(std::size_t n, unsigned most) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> numbers(n);
  for (T& one : numbers) one = static_cast<T>(random() % most);
  return numbers;
}
template <class T>
strided_view<T> matrix(std::vector<T>& numbers, std::size_t rows, std::size_t columns) {
  return {numbers.data(), rows, columns, columns};
}
template <class T>
strided_view<const T> matrix(const std::vector<T>& numbers, std::size_t rows, std::size_t columns) {
  return {numbers.data(), rows, columns, columns};
}
constexpr auto is_close = [](const auto& a, const auto& b) { return std::abs(a - b) < 1e-6; };

/// A machine of p threads, and p VPs.
class odd_sizes : public testing::TestWithParam<unsigned> {
 protected:
  /// Expects of call(machine, VPs, data) what it leaves in the data with one VP.
  template <class T, class Call, class Same = std::equal_to<>>
  void expect_that_of_one(std::vector<T> data, const Call& call, Same same = {}) {
    std::vector<T> expected = data;
    call(one, 1U, expected);
    call(m, p, data);
    EXPECT_TRUE(std::ranges::equal(data, expected, same)) << data.size() << " numbers";
  }

  unsigned p = GetParam();
  pleat::machine m{{.processors = p, .threads = {.each = true}}}, one{{.processors = 1}};
};

TEST_P(odd_sizes, of_closure) {
  for (const std::size_t n : {5, 95, 191, 193})
    expect_that_of_one(random_numbers<float>(n * n, 100'000), [&](auto& on, auto vps, auto& paths) {
      pleat::closure<pleat::min_plus>(on, matrix(paths, n, n), {.vps = vps});
    });
}

TEST_P(odd_sizes, of_matmul) {
  for (const auto& [rows, inner, columns] :
       {std::array<std::size_t, 3>{95, 191, 33}, {193, 31, 77}, {7, 301, 5}}) {
    const auto a = random_numbers<std::uint32_t>(rows * inner, 1000);
    const auto b = random_numbers<std::uint32_t>(inner * columns, 999);
    const std::array<std::size_t, 3> n{rows, inner, columns};
    expect_that_of_one(std::vector<std::uint32_t>(rows * columns),
                       [&](auto& on, auto vps, auto& c) {
                         pleat::matmul(on, matrix(a, n[0], n[1]), matrix(b, n[1], n[2]),
                                       matrix(c, n[0], n[2]), {.vps = vps});
                       });
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
    const auto factorise = [&](auto& on, auto vps, auto& factor) {
      pleat::cholesky(on, matrix(factor, n, n), {.vps = vps});
    };
    expect_that_of_one(a, factorise, is_close);
    factorise(one, 1U, a);
    const std::size_t columns = 2 * p + 1;
    const auto solve = [&](auto& on, auto vps, auto& x) {
      pleat::solve_triangular(on, matrix(std::as_const(a), n, n), matrix(x, n, columns),
                              {.vps = vps});
    };
    expect_that_of_one(random_numbers<double>(n * columns, 100), solve, is_close);
  }
}

TEST_P(odd_sizes, of_transpose) {
  for (const auto& [rows, columns] : {std::array<std::size_t, 2>{95, 191}, {301, 7}}) {
    const auto a = random_numbers<std::uint16_t>(rows * columns, 60'000);
    const std::array<std::size_t, 2> n{rows, columns};
    expect_that_of_one(std::vector<std::uint16_t>(a.size()), [&](auto& on, auto vps, auto& b) {
      pleat::transpose(on, matrix(a, n[0], n[1]), matrix(b, n[1], n[0]), {.vps = vps});
    });
  }
}

TEST_P(odd_sizes, of_sort) {
  const auto sort = [](auto& on, auto vps, auto& keys) {
    pleat::sort(on, keys, {}, {}, {.vps = vps});
    EXPECT_TRUE(std::ranges::is_sorted(keys));
  };
  for (const std::size_t n : {37, 4'999, 20'011}) {
    expect_that_of_one(random_numbers<std::uint8_t>(n, 1U << 31), sort);
    expect_that_of_one(random_numbers<std::uint32_t>(n, 1U << 31), sort);
    expect_that_of_one(random_numbers<double>(n, 1U << 31), sort);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> records(9'973);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i] = {static_cast<std::uint32_t>(i * 7'919 % 101), static_cast<std::uint32_t>(i)};
  expect_that_of_one(records, sort);
}

TEST_P(odd_sizes, of_fft) {
  for (const std::size_t n : {15, 1'009, 2'310, 4'095}) {
    const auto real = random_numbers<double>(n, 1000);
    expect_that_of_one(
        std::vector<std::complex<double>>(real.begin(), real.end()),
        [](auto& on, auto vps, auto& numbers) { pleat::fft(on, numbers, {.vps = vps}); }, is_close);
  }
}

TEST_P(odd_sizes, of_stencil) {
  constexpr std::size_t rows = 95, columns = 61;
  expect_that_of_one(random_numbers<std::uint32_t>(rows * columns, 1000), [](auto& on, auto vps,
                                                                             auto& cells) {
    pleat::stencil(on, pleat::grid_view<std::uint32_t, 2>(cells.data(), {rows, columns}), 7,
                   [](const auto& u) { return u(0, -1) + 2 * u(0, 0) + u(1, 0); }, {.vps = vps});
  });
}

INSTANTIATE_TEST_SUITE_P(threads, odd_sizes, testing::Values(2U, 3U, 8U, 12U, 32U));

}  // namespace odd_sizes_test
