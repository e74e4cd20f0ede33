// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/error.hpp>

#include "unit/matmul/matmul_problem.hpp"

namespace matmul_test {

using namespace matmul_tests;

/// All operations on both factors.
template <class S, class T>
void try_operations(machine& on, const problem& size, matmul_options<T> options,
                    std::uint64_t seed) {
  for (const auto op_a : {matrix_op::none, matrix_op::transpose, matrix_op::adjoint})
    for (const auto op_b : {matrix_op::none, matrix_op::transpose, matrix_op::adjoint}) {
      options.op_a = op_a;
      options.op_b = op_b;
      ASSERT_TRUE((right<S, T>(on, size, options, seed)));
    }
}

template <class S, class T> void try_type() {
  const std::vector<std::size_t> sizes{0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 23, 33, 67};
  std::mt19937_64 random(sizeof(T));
  for (const std::size_t m : sizes)
    for (const std::size_t n : sizes) {
      const std::size_t k = sizes[random() % sizes.size()];
      matmul_options<T> options;
      options.vps = std::size_t{1} << random() % 7;
      options.accumulate = random() % 2 == 0;
      options.recursion =
          random() % 3 == 0 ? matmul_recursion::four_way : matmul_recursion::eight_way;
      options.op_a = static_cast<matrix_op>(random() % 3);
      options.op_b = static_cast<matrix_op>(random() % 3);
      ASSERT_TRUE((right<S, T>(workers(2), {m, n, k}, options, random())));
    }
  try_operations<S, T>(workers(2), {13, 21, 34}, {.vps = 8}, 5);
}

// Kernels of all types have their own tests; here one of each kind, and those that have none.
TEST(matmul, multiplies_over_every_semiring) {
  try_type<pleat::plus_times, float>();
  try_type<pleat::plus_times, long double>();
  try_type<pleat::plus_times, std::complex<double>>();
  try_type<pleat::plus_times, std::int16_t>();
  try_type<pleat::plus_times, std::uint64_t>();
  try_type<pleat::min_plus, double>();
  try_type<pleat::min_plus, std::int32_t>();
  try_type<pleat::min_plus, std::int16_t>();
  try_type<pleat::max_plus, double>();
  try_type<pleat::max_min, float>();
  try_type<pleat::max_min, long long>();
  try_type<pleat::or_and, bool>();
  try_type<pleat::or_and, std::uint8_t>();
}

struct narrowest {  // (min, max)
  static double zero() { return 100; }
  static double plus(double a, double b) { return std::min(a, b); }
  static double times(double a, double b) { return std::max(a, b); }
};
/// Counts shortest paths: an element that is no number.
struct path_count {
  double length;
  long paths;
  friend bool operator==(const path_count&, const path_count&) = default;
};
struct counting_paths {
  static path_count zero() { return {std::numeric_limits<double>::infinity(), 0}; }
  static path_count plus(const path_count& a, const path_count& b) {
    if (a.length == b.length) return {a.length, a.paths + b.paths};
    return a.length < b.length ? a : b;
  }
  static path_count times(const path_count& a, const path_count& b) {
    return {a.length + b.length, a.paths * b.paths};
  }
};

TEST(matmul, multiplies_over_a_semiring_of_the_user) {
  try_type<narrowest, double>();
  for (const std::size_t vps : {1, 2, 8, 64}) {
    const std::size_t n = 8;  // a grid of 2 x 4 crossings, all edges of length 1, two hops
    const auto near = [](std::size_t u, std::size_t v) {
      const auto apart = [](std::size_t x, std::size_t y) { return x > y ? x - y : y - x; };
      return apart(u / 4, v / 4) + apart(u % 4, v % 4);
    };
    matrix<path_count> edges(n, n), paths(n, n);
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t v = 0; v < n; ++v)
        edges(u, v) = near(u, v) == 1 ? path_count{1, 1} : counting_paths::zero();
    pleat::matmul<counting_paths>(workers(2), edges.view(), edges.view(), paths.view(),
                                  {.vps = vps});
    EXPECT_EQ(paths(0, 2), (path_count{2, 1}));
    EXPECT_EQ(paths(0, 5), (path_count{2, 2}));
    EXPECT_EQ(paths(0, 3), counting_paths::zero());
    EXPECT_EQ(paths(5, 5), (path_count{2, 3}));
  }
}

TEST(matmul, is_right_for_every_number_of_virtual_processors) {
  for (const unsigned p : {2u, 6u})
    for (const auto recursion : {matmul_recursion::eight_way, matmul_recursion::four_way})
      for (const std::size_t side : {1, 2, 4, 8, 16, 32})
        for (std::size_t vps = 1; vps <= side * side; vps *= 2)
          for (const bool accumulate : {false, true})
            ASSERT_TRUE((right<pleat::plus_times, double>(
                workers(p), {side, side, side},
                {.accumulate = accumulate, .recursion = recursion, .vps = vps}, vps)));
}

TEST(matmul, is_right_for_numbers_that_are_no_powers_of_two_and_for_more_than_elements) {
  for (const unsigned p : {2u, 6u})
    for (const auto recursion : {matmul_recursion::eight_way, matmul_recursion::four_way})
      for (const std::size_t vps : {3, 5, 6, 7, 12, 100, 300, 1000})
        for (const problem& size : {problem{1, 1, 1}, {5, 7, 11}, {40, 3, 9}, {2, 2, 500}})
          ASSERT_TRUE((right<pleat::plus_times, double>(
              workers(p), size, {.beta = 2, .recursion = recursion, .vps = vps}, vps)));
}

TEST(matmul, is_right_for_long_thin_products) {
  for (const std::size_t vps : {2, 4, 8, 16, 64, 128})
    for (const problem& size : {problem{1, 1, 3000},
                                {1, 2000, 3},
                                {2000, 1, 3},
                                {3, 1000, 200},
                                {200, 3, 1000},
                                {3, 3, 2000}})
      for (const auto recursion : {matmul_recursion::eight_way, matmul_recursion::four_way})
        ASSERT_TRUE((right<pleat::plus_times, double>(workers(2), size,
                                                      {.recursion = recursion, .vps = vps}, vps)));
}

TEST(matmul, chooses_how_many_by_itself) {
  for (const unsigned p : {1u, 3u})
    for (const problem& size : {problem{150, 150, 150}, {65, 400, 31}}) {
      ASSERT_TRUE((right<pleat::plus_times, float>(workers(p), size, {}, p)));
      ASSERT_TRUE((right<pleat::min_plus, std::int32_t>(workers(p), size, {}, p)));
    }
}

TEST(matmul, scales_by_alpha_and_beta) {
  for (const std::size_t vps : {1, 2, 8, 64})
    for (const auto recursion : {matmul_recursion::eight_way, matmul_recursion::four_way})
      for (const int alpha : {0, 1, -3})
        for (const int beta : {0, 1, 2}) {
          const matmul_options<double> reals{.alpha = static_cast<double>(alpha),
                                             .beta = static_cast<double>(beta),
                                             .recursion = recursion,
                                             .vps = vps};
          ASSERT_TRUE((right<pleat::plus_times, double>(workers(2), {20, 30, 40}, reals, 3)));
          const matmul_options<std::complex<float>> complex{.alpha = {static_cast<float>(alpha), 2},
                                                            .beta = {static_cast<float>(beta), -1},
                                                            .recursion = recursion,
                                                            .vps = vps};
          ASSERT_TRUE((
              right<pleat::plus_times, std::complex<float>>(workers(2), {20, 30, 40}, complex, 3)));
          const matmul_options<std::int32_t> integers{
              .alpha = alpha, .beta = beta, .recursion = recursion, .vps = vps};
          ASSERT_TRUE(
              (right<pleat::plus_times, std::int32_t>(workers(2), {20, 30, 40}, integers, 3)));
        }
}

TEST(matmul, does_not_read_what_zeros_say_it_need_not) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t vps : {1, 2, 8}) {
    matrix<double> a(20, 20), b(20, 20), c(20, 20);
    for (auto& x : c.elements) x.value = nan;
    pleat::matmul(workers(2), a.view(), b.view(), c.view(), {.vps = vps});
    for (const auto& x : c.elements) ASSERT_EQ(x.value, 0);
    for (auto& x : a.elements) x.value = nan;
    for (auto& x : c.elements) x.value = 7;
    pleat::matmul(workers(2), a.view(), b.view(), c.view(), {.alpha = 0, .beta = 2, .vps = vps});
    for (const auto& x : c.elements) ASSERT_EQ(x.value, 14);
  }
}

TEST(matmul, multiplies_on_the_default_machine) {
  matrix<double> a(2, 2), b(2, 2), c(2, 2);
  matrix<std::int64_t> index(2, 2);
  a(0, 0) = 1;
  b(0, 1) = 3;
  pleat::matmul(a.view(), b.view(), c.view(), {.alpha = 2.0});
  EXPECT_EQ(c(0, 1), 6);
  pleat::matmul<pleat::min_plus>(a.view(), b.view(), c.view());
  EXPECT_EQ(c(0, 1), 0);
  pleat::matmul_argmin(a.view(), b.view(), c.view(), index.view(), {.accumulate = true});
  EXPECT_EQ(index(0, 1), 0);
}

/// The call throws a usage_error of one line that says `why`.
template <class F> void refused(const F& call, const std::string& why) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << why;
  } catch (const pleat::usage_error& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(matmul_refusals, are_of_what_cannot_be_multiplied) {
  machine& on = workers(1);
  matrix<double> a(3, 4), b(4, 5), c(3, 5);
  const auto times = [&on](auto x, auto y, auto z, const matmul_options<double>& o = {}) {
    return [=, &on] { pleat::matmul(on, x, y, z, o); };
  };
  refused(times(a.view(), c.view(), b.view()), "op(a) is 3 x 4 and op(b) is 3 x 5");
  refused(times(a.view(), b.view(), c.view(), {.op_a = matrix_op::transpose}), "op(a) is 4 x 3");
  refused(times(a.view(), b.view(), b.view()), "c must be 3 x 5, and is 4 x 5");
  refused(times(strided_view<double>(&a(0, 0), 3, 4, 3), b.view(), c.view()), "leading dimension");
  refused(times(strided_view<double>(nullptr, 3, 4, 4), b.view(), c.view()), "points nowhere");
  refused(times(a.view(), b.view(), c.view(), {.vps = 0}), "0 virtual processors");
  refused(times(a.view(), b.view(), c.view(), {.beta = 2, .accumulate = true}), "accumulate");
  matrix<double> s(4, 4);
  refused(times(s.view(), matrix<double>(4, 4).view(), s.view()), "c overlaps a");
  refused([&] { pleat::matmul<pleat::min_plus>(on, a.view(), b.view(), c.view(), {.alpha = 2}); },
          "plus_times only");
  matrix<std::int64_t> index(3, 4);
  refused([&] { pleat::matmul_argmin(on, a.view(), b.view(), c.view(), index.view()); },
          "index must be 3 x 5");
}

}  // namespace matmul_test
