// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/cholesky.hpp>
#include <pleat/runtime/machine.hpp>

namespace solve_triangular_test {

using pleat::matrix_op, pleat::strided_view, pleat::triangle;

constexpr auto infinity = std::numeric_limits<double>::infinity();

/// Lower triangular matrices of n rows, most of which have large condition numbers.
using made = std::function<double(std::size_t i, std::size_t j, std::mt19937_64& random)>;
const std::pair<const char*, made> families[] = {
    {"normal", [](auto, auto, auto& random) { return std::normal_distribution()(random); }},
    {"Kahan's",
     [](auto i, auto j, auto&) {
       const double c = std::cos(0.4), s = std::sin(0.4);
       const double scale = std::pow(s, static_cast<double>(j));
       return i == j ? scale : -c * scale;
     }},
    {"bidiagonal", [](auto i, auto j, auto&) { return i == j       ? 1.0
                                                      : i == j + 1 ? 3e8
                                                                   : 0.0; }},
    {"LU",
     [](auto i, auto j, auto& random) {
       return i == j ? 1.0 : std::uniform_real_distribution(-1.0, 1.0)(random);
     }},
    {"RBF",
     [](auto i, auto j, auto&) {  // as a factor of a smooth kernel: its diagonal decays
       const double far = static_cast<double>(i - j);
       return std::exp(-far * far / 50 - static_cast<double>(j) / 4);
     }},
};

/// Greatest |B − op(A)·X| of an element, over n·ε·|op(A)|·|X|; by sums of long doubles.
template <class T, class Element>
double backward_error(const Element& element, const std::vector<T>& x, const std::vector<T>& b,
                      std::size_t n, std::size_t columns) {
  double greatest = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < columns; ++c) {
      long double rest = b[i * columns + c], size = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const long double term = static_cast<long double>(element(i, k)) * x[k * columns + c];
        rest -= term;
        size += std::abs(term);
      }
      const long double bound =
          static_cast<long double>(n) *
          (std::numeric_limits<T>::epsilon() * size + std::numeric_limits<T>::denorm_min());
      if (!std::isfinite(static_cast<double>(size))) continue;  // X itself is beyond the type
      if (rest != 0) greatest = std::max(greatest, static_cast<double>(std::abs(rest) / bound));
    }
  return greatest;
}

template <class T>
void expect_small_backward_errors(std::size_t n, std::size_t columns, unsigned vps) {
  pleat::machine m({.processors = 2U});
  std::mt19937_64 random(n);
  for (const auto& [name, entry] : families)
    for (const triangle of : {triangle::lower, triangle::upper})
      for (const matrix_op op : {matrix_op::none, matrix_op::transpose})
        for (const bool unit : {false, true}) {
          std::vector<T> a(n * n, T(77));  // what lies outside the triangle is not read
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j)
              (of == triangle::lower ? a[i * n + j] : a[j * n + i]) =
                  static_cast<T>(entry(i, j, random));
          const auto element = [&](std::size_t i, std::size_t j) -> T {
            if (op == matrix_op::transpose) std::swap(i, j);
            if (i == j && unit) return 1;
            return (of == triangle::lower ? j <= i : i <= j) ? a[i * n + j] : T(0);
          };
          std::vector<T> b(n * columns);
          for (T& one : b) one = static_cast<T>(std::normal_distribution()(random));
          auto x = b;
          pleat::solve_triangular(m, strided_view<const T>(a.data(), n, n, n),
                                  strided_view<T>(x.data(), n, columns, columns),
                                  {.of = of, .op = op, .unit_diagonal = unit, .vps = vps});
          EXPECT_LE(backward_error(element, x, b, n, columns), 2)
              << name << ", n = " << n << (of == triangle::lower ? ", lower" : ", upper")
              << (op == matrix_op::none ? "" : ", transposed") << (unit ? ", unit" : "");
        }
}

TEST(solve_triangular, has_a_backward_error_of_n_epsilon_whatever_the_condition) {
  for (const std::size_t n : {1, 2, 7, 8, 9, 17, 64, 65, 130}) {
    expect_small_backward_errors<double>(n, n < 64 ? 3 : 20, 1);
    expect_small_backward_errors<float>(n, 2, 2);
  }
}

TEST(solve_triangular, divides_by_subnormal_numbers) {
  const double least = std::numeric_limits<double>::denorm_min();
  std::vector<double> a{least}, b{3 * least};
  pleat::solve_triangular(strided_view<const double>(a.data(), 1, 1, 1),
                          strided_view<double>(b.data(), 1, 1, 1));
  EXPECT_EQ(b[0], 3);
}

TEST(solve_triangular, spreads_nan_and_infinity_to_what_depends_on_them_only) {
  constexpr std::size_t n = 100, columns = 5;
  for (const double odd : {infinity, std::numeric_limits<double>::quiet_NaN()})
    for (const std::size_t row : {0, 3, 40, 63, 64, 99})
      for (const triangle of : {triangle::lower, triangle::upper}) {
        std::vector<double> a(n * n, 0.01), b(n * columns, 1.0);
        for (std::size_t i = 0; i < n; ++i) a[i * n + i] = 2;
        b[row * columns + 2] = odd;
        pleat::solve_triangular(strided_view<const double>(a.data(), n, n, n),
                                strided_view<double>(b.data(), n, columns, columns), {.of = of});
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t c = 0; c < columns; ++c) {
            const bool depends = c == 2 && (of == triangle::lower ? i >= row : i <= row);
            ASSERT_EQ(std::isfinite(b[i * columns + c]), !depends) << row << ": " << i << ", " << c;
          }
      }
}

/// The lower triangle of a smooth kernel's matrix, and its factor.
TEST(cholesky, has_a_backward_error_of_n_epsilon_for_smooth_kernels) {
  pleat::machine m({.processors = 2U});
  for (const std::size_t n : {9, 65, 200}) {
    std::vector<double> a(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double far = (static_cast<double>(i) - static_cast<double>(j)) / 3;
        a[i * n + j] = std::exp(-far * far) + (i == j ? 1e-10 : 0);
      }
    auto l = a;
    pleat::cholesky(m, strided_view<double>(l.data(), n, n, n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        long double rest = a[i * n + j], size = 0;
        for (std::size_t k = 0; k <= j; ++k) {
          const long double term = static_cast<long double>(l[i * n + k]) * l[j * n + k];
          rest -= term;
          size += std::abs(term);
        }
        ASSERT_LE(std::abs(rest), static_cast<long double>(n) * (2.3e-16L * size + 5e-324L))
            << i << ", " << j;
      }
  }
}

}  // namespace solve_triangular_test
