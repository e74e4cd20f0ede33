// SPDX-License-Identifier: Apache-2.0
// Random matrices, and their product by its definition, which pleat::matmul is compared with.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/machine.hpp>

namespace matmul_tests {

using pleat::machine, pleat::matmul_options, pleat::matmul_recursion, pleat::matrix_op;
using pleat::strided_view, pleat::detail::matmul::complex_number, pleat::detail::matmul::zero_of;

/// A machine of 1, 2, 3 or 6 workers.
inline machine& workers(unsigned p) {
  static machine one({.processors = 1}), two({.processors = 2}), three({.processors = 3}),
      six({.processors = 6});
  return p == 1 ? one : p == 2 ? two : p == 3 ? three : six;
}

template <class T> T random_element(std::mt19937_64& random) {
  if constexpr (complex_number<T>) {
    using part = typename T::value_type;
    const auto re = static_cast<part>(random() % 17) - 8;
    return {re, static_cast<part>(random() % 17) - 8};
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 4 == 0;
  } else {
    return static_cast<T>(static_cast<T>(random() % 17) - (std::is_signed_v<T> ? 8 : 0));
  }
}

/// Rows that are longer than the matrix is wide; also of bool, which std::vector would pack.
template <class T> struct matrix {
  struct cell {
    T value;
    friend bool operator==(const cell&, const cell&) = default;
  };
  std::size_t rows, columns, leading;
  std::vector<cell> elements;
  matrix(std::size_t r, std::size_t c, std::size_t more = 0)
      : rows(r), columns(c), leading(c + more), elements(r * leading) {}
  matrix(std::size_t r, std::size_t c, std::size_t more, std::mt19937_64& random)
      : matrix(r, c, more) {
    for (cell& x : elements) x.value = random_element<T>(random);
  }
  T& operator()(std::size_t i, std::size_t j) { return elements[i * leading + j].value; }
  const T& operator()(std::size_t i, std::size_t j) const {
    return elements[i * leading + j].value;
  }
  strided_view<T> view() {
    return {elements.empty() ? nullptr : &elements[0].value, rows, columns, leading};
  }
  strided_view<const T> view() const {
    return {elements.empty() ? nullptr : &elements[0].value, rows, columns, leading};
  }
};

template <class T> T taken(const matrix<T>& m, matrix_op op, std::size_t i, std::size_t j) {
  if (op == matrix_op::none) return m(i, j);
  if constexpr (complex_number<T>)
    if (op == matrix_op::adjoint) return std::conj(m(j, i));
  return m(j, i);
}

/// The definition: c = alpha op(a) op(b) + beta c.
template <class S, class T>
void multiply(const matrix<T>& a, const matrix<T>& b, matrix<T>& c,
              const matmul_options<T>& options) {
  const std::size_t inner = options.op_a == matrix_op::none ? a.columns : a.rows;
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = 0; j < c.columns; ++j) {
      T sum = zero_of<S, T>();
      for (std::size_t k = 0; k < inner; ++k)
        sum = S::plus(sum, static_cast<T>(S::times(taken(a, options.op_a, i, k),
                                                   taken(b, options.op_b, k, j))));
      if constexpr (std::is_same_v<S, pleat::plus_times>) {
        sum = S::times(options.alpha, sum);
        if (options.beta != T(0)) sum = S::plus(sum, S::times(options.beta, c(i, j)));
      }
      c(i, j) = options.accumulate ? S::plus(c(i, j), sum) : sum;
    }
}

struct problem {
  std::size_t m, n, k;
};

/// Tells whether pleat::matmul has the very result of the definition, on random matrices.
template <class S, class T>
testing::AssertionResult right(machine& on, const problem& size, const matmul_options<T>& options,
                               std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const bool turn_a = options.op_a != matrix_op::none;
  const bool turn_b = options.op_b != matrix_op::none;
  const std::size_t gap = random() % 3;
  const matrix<T> a(turn_a ? size.k : size.m, turn_a ? size.m : size.k, gap, random);
  const matrix<T> b(turn_b ? size.n : size.k, turn_b ? size.k : size.n, gap / 2, random);
  matrix<T> c(size.m, size.n, 2 - gap, random);
  matrix<T> expected = c;
  multiply<S>(a, b, expected, options);
  pleat::matmul<S>(on, a.view(), b.view(), c.view(), options);
  if (c.elements == expected.elements) return testing::AssertionSuccess();
  return testing::AssertionFailure() << size.m << " x " << size.n << " x " << size.k << ", "
                                     << options.vps.value_or(0) << " VPs, seed " << seed;
}

}  // namespace matmul_tests
