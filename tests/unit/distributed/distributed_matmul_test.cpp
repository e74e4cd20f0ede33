// SPDX-License-Identifier: Apache-2.0
// Elements are small whole numbers, whose sums do not round: results are the definition's.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/machine.hpp>

#include "on_ranks.hpp"
#include "unit/matmul/matmul_problem.hpp"

namespace distributed_matmul_test {

using matmul_tests::matrix, matmul_tests::problem, pleat::distributed_matrix, pleat::matmul_options;
using pleat::matrix_op;

template <class T> distributed_matrix<T> on_all(pleat::machine& on, const matrix<T>& of) {
  distributed_matrix<T> all(on, of.rows, of.columns);
  all.fill(on, [&](std::size_t i, std::size_t j) { return of(i, j); });
  return all;
}

template <class T> void expect_all(const distributed_matrix<T>& got, const matrix<T>& expected) {
  const pleat::strided_view<const T> mine = got.local();
  for (std::size_t i = 0; i < mine.rows; ++i)
    for (std::size_t j = 0; j < mine.columns; ++j)
      ASSERT_EQ(mine.data[i * mine.stride + j],
                expected(got.rows().first + i, got.columns().first + j))
          << "row " << got.rows().first + i << ", column " << got.columns().first + j;
}

template <class S, class T>
void expect_product(const machine_of_ranks& machine, const problem& size,
                    const matmul_options<T>& options) {
  SCOPED_TRACE(std::to_string(size.m) + " x " + std::to_string(size.n) + " x " +
               std::to_string(size.k) + " on " + std::to_string(machine.ranks()));
  std::mt19937_64 random(size.m * 7919 + size.n * 31 + size.k);
  const bool turn_a = options.op_a != matrix_op::none, turn_b = options.op_b != matrix_op::none;
  const matrix<T> a(turn_a ? size.k : size.m, turn_a ? size.m : size.k, 0, random);
  const matrix<T> b(turn_b ? size.n : size.k, turn_b ? size.k : size.n, 0, random);
  const matrix<T> c(size.m, size.n, 0, random);
  matrix<T> expected = c;
  matmul_tests::multiply<S>(a, b, expected, options);
  on_ranks(machine, [&](pleat::machine& on) {
    const distributed_matrix<T> all_a = on_all(on, a), all_b = on_all(on, b);
    distributed_matrix<T> all_c = on_all(on, c);
    pleat::matmul<S>(on, all_a, all_b, all_c, options);
    expect_all(all_c, expected);
  });
}

const problem shapes[] = {{1, 1, 1},    {0, 4, 3},  {4, 0, 3},   {5, 6, 0},   {2, 3, 4},
                          {17, 17, 17}, {64, 3, 5}, {3, 70, 11}, {4, 5, 130}, {40, 24, 36}};

TEST(distributed_matmul, is_the_definitions_on_any_ranks) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers, {.strict = true});
    for (const problem& size : shapes) expect_product<pleat::plus_times, double>(machine, size, {});
  }
}

TEST(distributed_matmul, takes_transposes_and_adjoints) {
  using T = std::complex<double>;
  const machine_of_ranks machines[] = {machine_of_ranks({2, 1}), machine_of_ranks({1, 1, 1}),
                                       machine_of_ranks({1, 1, 1, 1, 1, 1})};
  for (const machine_of_ranks& machine : machines) {
    for (const matrix_op op_a : {matrix_op::none, matrix_op::transpose, matrix_op::adjoint}) {
      for (const matrix_op op_b : {matrix_op::none, matrix_op::transpose, matrix_op::adjoint}) {
        for (const problem& size : {problem{13, 9, 21}, problem{2, 40, 7}, problem{0, 3, 2}}) {
          expect_product<pleat::plus_times, T>(machine, size,
                                               {.op_a = op_a, .op_b = op_b, .alpha = T(2, 1)});
        }
      }
    }
  }
}

TEST(distributed_matmul, scales_and_adds) {
  const machine_of_ranks machine({1, 2, 1, 1});
  for (const problem& size : shapes) {
    using options = matmul_options<float>;
    for (const options& each :
         {options{.alpha = 3}, options{.beta = 2}, options{.alpha = 2, .beta = -1},
          options{.accumulate = true}, options{.alpha = -2, .accumulate = true},
          options{.alpha = 0, .beta = 3}, options{.alpha = 0}})
      expect_product<pleat::plus_times>(machine, size, each);
  }
}

TEST(distributed_matmul, multiplies_over_other_semirings) {
  const machine_of_ranks machine({1, 1, 2});
  for (const problem& size : shapes) {
    for (const bool accumulate : {false, true}) {
      expect_product<pleat::min_plus, std::int64_t>(machine, size, {.accumulate = accumulate});
      expect_product<pleat::max_plus, double>(machine, size, {.accumulate = accumulate});
    }
  }
}

// Parts of several times 1024 indices that lie together on a rank.
TEST(distributed_matmul, goes_through_long_sums_in_steps) {
  for (const auto& workers : {std::vector<unsigned>{1, 1}, std::vector<unsigned>{1, 2, 1}}) {
    const machine_of_ranks machine(workers);
    using options = matmul_options<std::int64_t>;
    for (const problem& size : {problem{3, 4, 9001}, problem{30, 1, 7000}, problem{2, 50, 5000}}) {
      expect_product<pleat::plus_times, std::int64_t>(machine, size, {});
      expect_product<pleat::plus_times>(machine, size,
                                        options{.op_a = matrix_op::transpose, .beta = 5});
      expect_product<pleat::min_plus>(machine, size,
                                      options{.op_b = matrix_op::transpose, .accumulate = true});
    }
  }
}

TEST(distributed_matmul, multiplies_a_matrix_by_itself) {
  const machine_of_ranks machine({1, 1, 1, 1});
  std::mt19937_64 random(5);
  const matrix<double> a(30, 30, 0, random);
  matrix<double> expected(30, 30);
  matmul_tests::multiply<pleat::plus_times>(a, a, expected, {.op_b = matrix_op::transpose});
  on_ranks(machine, [&](pleat::machine& on) {
    const distributed_matrix<double> all = on_all(on, a);
    distributed_matrix<double> c(on, 30, 30);
    pleat::matmul(on, all, all, c, {.op_b = matrix_op::transpose});
    expect_all(c, expected);
  });
}

/// Returns what each rank throws when it multiplies; checks that no C is written.
template <class S = pleat::plus_times>
std::vector<std::string> refused(
    const machine_of_ranks& machine, const problem& size,
    const std::function<matmul_options<double>(std::size_t rank)>& options, std::size_t rows_of_b) {
  return words_on_ranks(machine, [&](pleat::machine& on) {
    const distributed_matrix<double> a(on, size.m, size.k), b(on, rows_of_b, size.n);
    distributed_matrix<double> c(on, size.m, size.n);
    c.fill(on, [](std::size_t, std::size_t) { return 4; });
    try {
      pleat::matmul<S>(on, a, b, c, options(on.rank()));
    } catch (...) {
      for (const double x : c.gather(on)) EXPECT_EQ(x, 4);
      throw;
    }
  });
}

TEST(distributed_matmul, refuses_what_cannot_be_multiplied) {
  const auto plain = [](std::size_t) { return matmul_options<double>{}; };
  const auto scaled = [](std::size_t) { return matmul_options<double>{.alpha = 2}; };
  const auto twice = [](std::size_t) {
    return matmul_options<double>{.beta = 2, .accumulate = true};
  };
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::string& each : refused(machine, {8, 9, 10}, plain, 11))
      EXPECT_NE(each.find("as many columns as op(b) has rows"), std::string::npos) << each;
    for (const std::string& each : refused(machine, {8, 9, 10}, twice, 10))
      EXPECT_NE(each.find("accumulate means beta = 1"), std::string::npos) << each;
    for (const std::string& each : refused<pleat::min_plus>(machine, {8, 9, 10}, scaled, 10))
      EXPECT_NE(each.find("alpha and beta scale products over plus_times only"), std::string::npos)
          << each;
  }
}

TEST(distributed_matmul, refuses_different_calls_on_all_ranks) {
  const machine_of_ranks machine({1, 1, 1});
  using options = matmul_options<double>;
  const std::function<options(std::size_t)> different[] = {
      [](std::size_t rank) { return options{.alpha = rank == 1 ? 2.0 : 1.0}; },
      [](std::size_t rank) { return options{.beta = rank == 2 ? 2.0 : 1.0}; },
      [](std::size_t rank) { return options{.accumulate = rank == 0}; },
      [](std::size_t rank) {
        return options{.op_a = rank == 0 ? matrix_op::transpose : matrix_op::none};
      }};
  for (const auto& each : different) {
    for (const std::string& words : refused(machine, {6, 6, 6}, each, 6))
      EXPECT_NE(words.find("matmul: sizes or options"), std::string::npos) << words;
  }
}

/// plus_times that cannot multiply 13.
struct superstitious {
  template <class T> static T zero() { return T{}; }
  template <class T> static T plus(const T& a, const T& b) { return a + b; }
  template <class T> static T times(const T& a, const T& b) {
    if (a == 13) throw std::runtime_error("not that number");
    return a * b;
  }
};

// Throws in the rows of the last of the ranks only, in the last of some steps.
TEST(distributed_matmul, ends_on_all_ranks_with_what_one_throws_and_keeps_the_result) {
  const machine_of_ranks machine({1, 1, 1});
  for (const std::size_t k : {5, 2100}) {
    const std::size_t rows = 3 * k;
    const auto words = words_on_ranks(machine, [&](pleat::machine& on) {
      distributed_matrix<int> a(on, rows, k), b(on, k, 2), c(on, rows, 2);
      a.fill(on,
             [&](std::size_t i, std::size_t j) { return i + 1 == rows && j + 1 == k ? 13 : 1; });
      c.fill(on, [](std::size_t, std::size_t) { return 4; });
      try {
        pleat::matmul<superstitious>(on, a, b, c);
      } catch (...) {
        for (const int x : c.gather(on)) EXPECT_EQ(x, 4);
        throw;
      }
    });
    for (const std::string& each : words)
      EXPECT_NE(each.find("not that number"), std::string::npos) << each;
  }
}

}  // namespace distributed_matmul_test
