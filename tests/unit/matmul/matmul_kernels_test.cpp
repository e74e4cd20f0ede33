// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <pleat/oblivious/detail/matmul/block.hpp>
#include <pleat/oblivious/semiring.hpp>

#include "unit/every_target.hpp"

namespace matmul_kernels_test {

using namespace pleat::detail::matmul;

class matmul_kernels : public every_target {};
ON_EVERY_TARGET(matmul_kernels);

template <class T> T random_element(std::mt19937_64& random) {
  if constexpr (complex_number<T>) {
    using part = typename T::value_type;
    const auto re = static_cast<part>(random() % 17) - 8;
    return {re, static_cast<part>(random() % 17) - 8};
  } else {
    // Small integers: all sums are exact, in any order.
    return static_cast<T>(static_cast<T>(random() % 17) - (std::is_signed_v<T> ? 8 : 0));
  }
}

/// f(T()) for each type.
template <class... T, class F> void for_types(const F& f) { (f(T()), ...); }

struct free_memory {
  void operator()(void* p) const { std::free(p); }
};
using work_memory = std::unique_ptr<std::byte, free_memory>;
work_memory work_of(std::size_t bytes) {
  return work_memory(static_cast<std::byte*>(
      std::aligned_alloc(64, std::max<std::size_t>(64, (bytes + 63) / 64 * 64))));
}

/// Matrices in rows longer than they are, so that what lies beyond can be seen to stay.
template <class T> struct matrix {
  std::size_t rows, columns, leading;
  std::vector<T> elements;
  matrix(std::size_t r, std::size_t c, std::size_t more)
      : rows(r), columns(c), leading(c + more), elements(r * leading) {}
  T& operator()(std::size_t i, std::size_t j) { return elements[i * leading + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return elements[i * leading + j]; }
};
template <class T>
matrix<T> random_matrix(std::size_t r, std::size_t c, std::size_t more, std::mt19937_64& random) {
  matrix<T> m(r, c, more);
  for (T& x : m.elements) x = random_element<T>(random);
  return m;
}
template <class T>
factor<T> factor_of(const matrix<T>& m, bool transposed = false, bool conjugated = false) {
  if (transposed) return {m.elements.data(), 1, m.leading, conjugated};
  return {m.elements.data(), m.leading, 1, conjugated};
}
template <class T> T conjugate_if(bool wanted, const T& x) {
  if constexpr (complex_number<T>)
    return wanted ? std::conj(x) : x;
  else
    return x;
}

template <algebra S> constexpr auto semiring_type() {
  if constexpr (S == algebra::plus_times) return pleat::plus_times{};
  if constexpr (S == algebra::min_plus) return pleat::min_plus{};
  if constexpr (S == algebra::max_plus) return pleat::max_plus{};
  if constexpr (S == algebra::max_min) return pleat::max_min{};
  if constexpr (S == algebra::or_and) return pleat::or_and{};
}
template <algebra S> using semiring_of = decltype(semiring_type<S>());

/// Weights: no sign, and no path here and there.
template <class T> void make_weights(matrix<T>& m) {
  for (std::size_t i = 0; i < m.elements.size(); ++i)
    m.elements[i] = i % 7 == 3 ? pleat::min_plus::zero<T>() : std::abs(m.elements[i]);
}

template <algebra S, class T>
void compare_with_definition(std::size_t m, std::size_t n, std::size_t k, unsigned variant) {
  using semiring = semiring_of<S>;
  std::mt19937_64 random(m * 71 + n * 5 + k + variant);
  const bool transposed_a = (variant & 1) != 0, transposed_b = (variant & 2) != 0;
  const bool accumulate = (variant & 4) != 0;
  const bool conjugate_a = complex_number<T> && (variant & 8) != 0;
  const bool conjugate_b = complex_number<T> && (variant & 16) != 0;
  T alpha(1);
  if (S == algebra::plus_times && (variant & 8) != 0) alpha = T(3);
  if constexpr (complex_number<T>)
    alpha = {alpha.real(), static_cast<typename T::value_type>(variant & 16) / 8};
  auto a = transposed_a ? random_matrix<T>(k, m, 3, random) : random_matrix<T>(m, k, 3, random);
  auto b = transposed_b ? random_matrix<T>(n, k, 2, random) : random_matrix<T>(k, n, 2, random);
  if constexpr (S == algebra::min_plus && std::is_floating_point_v<T>) {
    if ((variant & 8) != 0) make_weights(a);
    if ((variant & 16) != 0) make_weights(b);
  }
  auto c = random_matrix<T>(m, n, 1, random);
  auto expected = c;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      T sum = zero_of<semiring, T>();
      for (std::size_t p = 0; p < k; ++p) {
        const T x = conjugate_if(conjugate_a, transposed_a ? a(p, i) : a(i, p));
        const T y = conjugate_if(conjugate_b, transposed_b ? b(j, p) : b(p, j));
        sum = semiring::plus(sum, static_cast<T>(semiring::times(x, y)));
      }
      if constexpr (S == algebra::plus_times) sum = semiring::times(sum, alpha);
      expected(i, j) = accumulate ? semiring::plus(c(i, j), sum) : sum;
    }
  const auto work = work_of(packed_bytes<S, T>(m, n, k));
  const product<T> block{m,
                         n,
                         k,
                         factor_of(a, transposed_a, conjugate_a),
                         factor_of(b, transposed_b, conjugate_b),
                         c.elements.data(),
                         c.leading,
                         alpha,
                         accumulate};
  multiply_packed<S, T>(block, work.get());
  ASSERT_EQ(c.elements, expected.elements)
      << m << " x " << n << " x " << k << ", variant " << variant;
}

/// Both transpositions, onto C or not; a factor, conjugates, weights where there are such.
template <algebra S, class T>
constexpr unsigned variants = complex_number<T> ||
                                      (S == algebra::min_plus && std::is_floating_point_v<T>)
                                  ? 32
                              : S == algebra::plus_times ? 16
                                                         : 8;

template <algebra S, class... Types> void compare_sizes() {
  const auto compare = []<class T>(T) {
    for (const std::size_t m : {1, 5, 17})
      for (const std::size_t n : {1, 15, 50, 193})
        for (const std::size_t k : {1, 9, 67})
          for (unsigned variant = 0; variant < variants<S, T>; ++variant) {
            compare_with_definition<S, T>(m, n, k, variant);
            if (testing::Test::HasFatalFailure()) return;
          }
    // More than one block in every dimension but the columns.
    compare_with_definition<S, T>(700, 20, 800, 31);
    // Several panels of B for several blocks of A.
    compare_with_definition<S, T>(650, 101, 30, 2);
  };
  (compare(Types()), ...);
}

TEST_P(matmul_kernels, plus_times_is_the_definition) {
  compare_sizes<algebra::plus_times, float, double, std::complex<float>, std::complex<double>,
                std::uint32_t, std::uint64_t>();
}

TEST_P(matmul_kernels, min_plus_is_the_definition) {
  compare_sizes<algebra::min_plus, float, double, std::int32_t, std::int64_t, std::uint32_t,
                std::uint64_t>();
}

TEST_P(matmul_kernels, max_plus_is_the_definition) {
  compare_sizes<algebra::max_plus, float, double, std::int32_t, std::int64_t>();
}

TEST_P(matmul_kernels, max_min_is_the_definition) {
  compare_sizes<algebra::max_min, float, double, std::int32_t, std::int64_t, std::uint32_t,
                std::uint64_t>();
}

/// Compares extremes, without a sum: the least and greatest numbers of a type are numbers as
/// others.
template <class T> void compare_extremes() {
  using limits = std::numeric_limits<T>;
  const T least = pleat::max_min::zero<T>();
  const T most = limits::has_infinity ? limits::infinity() : limits::max();
  const std::vector<T> some{least, limits::lowest(), T(0), T(1), limits::max(), most};
  constexpr std::size_t n = 37;
  std::vector<T> a(n * n), b(n * n), c(n * n), expected(n * n, least);
  std::mt19937_64 random(7);
  for (T& x : a) x = some[random() % some.size()];
  for (T& x : b) x = some[random() % some.size()];
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 5 == 0) std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(i * n), n, least);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t p = 0; p < n; ++p)
        expected[i * n + j] = std::max(expected[i * n + j], std::min(a[i * n + p], b[p * n + j]));
  }
  const auto work = work_of(packed_bytes<algebra::max_min, T>(n, n, n));
  multiply_packed<algebra::max_min, T>(
      {n, n, n, {a.data(), n, 1, false}, {b.data(), n, 1, false}, c.data(), n, T(1), false},
      work.get());
  ASSERT_EQ(c, expected);
}
TEST_P(matmul_kernels, max_min_takes_every_number_as_it_is) {
  for_types<float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>(
      []<class T>(T) { compare_extremes<T>(); });
}

TEST_P(matmul_kernels, or_and_is_the_definition) {
  compare_sizes<algebra::or_and, std::uint8_t, std::uint32_t, std::uint64_t>();
}

TEST_P(matmul_kernels, blocks_of_many_columns_are_packed_one_after_the_other) {
  compare_with_definition<algebra::plus_times, double>(3, 20000, 400, 0);
}

TEST_P(matmul_kernels, large_integers_wrap) {
  const std::uint64_t a[2] = {0xfedcba9876543210u, ~std::uint64_t{0}};
  const std::uint64_t b[2] = {0x123456789abcdef1u, 0x8000000000000001u};
  std::uint64_t c = 0;
  const auto work = work_of(packed_bytes<algebra::plus_times, std::uint64_t>(1, 1, 2));
  multiply_packed<algebra::plus_times, std::uint64_t>(
      {1, 1, 2, {a, 2, 1, false}, {b, 1, 1, false}, &c, 1, 1, false}, work.get());
  EXPECT_EQ(c, a[0] * b[0] + a[1] * b[1]);
}

/// The sign of one element decides which arithmetic computes the sums it is in.
TEST_P(matmul_kernels, min_plus_finds_a_negative_number_wherever_it_is) {
  constexpr std::size_t m = 500, n = 100, k = 3;
  for (const std::size_t where : {std::size_t{0}, std::size_t{60}, n - 1}) {
    const std::vector<float> a(m * k, 2.0f);
    std::vector<float> b(k * n, 1.0f);
    b[n + where] = -8;
    std::vector<float> c(m * n);
    const auto work = work_of(packed_bytes<algebra::min_plus, float>(m, n, k));
    multiply_packed<algebra::min_plus, float>(
        {m, n, k, {a.data(), k, 1, false}, {b.data(), n, 1, false}, c.data(), n, 1.0f, false},
        work.get());
    for (std::size_t i = 0; i < m * n; ++i) ASSERT_EQ(c[i], i % n == where ? -6 : 3) << i;
  }
}

template <class T> void no_path_stays_none() {
  const T none = std::numeric_limits<T>::max();
  const T a[3] = {none, none / 2, std::is_signed_v<T> ? static_cast<T>(-5) : T(5)};
  const T b[3] = {static_cast<T>(std::is_signed_v<T> ? -7 : 7), none, none};
  T c = 1;
  const auto work = work_of(packed_bytes<algebra::min_plus, T>(1, 1, 3));
  multiply_packed<algebra::min_plus, T>(
      {1, 1, 3, {a, 3, 1, false}, {b, 1, 1, false}, &c, 1, 1, false}, work.get());
  EXPECT_EQ(c, pleat::min_plus::zero<T>());
}
TEST_P(matmul_kernels, no_path_stays_none_whatever_is_added_to_it) {
  for_types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>(
      []<class T>(T) { no_path_stays_none<T>(); });
}

template <class T> void compare_argmin(std::size_t m, std::size_t n, std::size_t k, bool onto) {
  std::mt19937_64 random(m + n + k);
  auto a = random_matrix<T>(m, k, 1, random);
  auto b = random_matrix<T>(k, n, 2, random);
  for (T& x : a.elements)
    if (random() % 3 != 0) x = pleat::min_plus::zero<T>();
  for (T& x : b.elements)
    if (random() % 3 != 0) x = pleat::min_plus::zero<T>();
  auto c = random_matrix<T>(m, n, 1, random);
  matrix<index_of<T>> index(m, n, 3);
  std::fill(index.elements.begin(), index.elements.end(), -7);
  auto expected = c;
  auto places = index;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      T least = onto ? c(i, j) : pleat::min_plus::zero<T>();
      index_of<T> where = onto ? -7 : -1;
      for (std::size_t p = 0; p < k; ++p) {
        const T sum = pleat::min_plus::times(a(i, p), b(p, j));
        if (sum < least) {
          least = sum;
          where = static_cast<index_of<T>>(1000 + p);
        }
      }
      expected(i, j) = least;
      places(i, j) = where;
    }
  const auto work = work_of(argmin_packed_bytes<T>(m, n, k));
  const product<T> block{m,         n,    k,   factor_of(a), factor_of(b), c.elements.data(),
                         c.leading, T(1), onto};
  argmin_packed<T>(block, index.elements.data(), index.leading, 1000, work.get());
  ASSERT_EQ(c.elements, expected.elements);
  ASSERT_EQ(index.elements, places.elements);
}
template <class T> void compare_argmins() {
  for (const std::size_t m : {1, 7, 8, 13, 300})
    for (const std::size_t n : {1, 15, 16, 37})
      for (const std::size_t k : {1, 2, 100, 450})
        for (const bool onto : {false, true}) compare_argmin<T>(m, n, k, onto);
}
TEST_P(matmul_kernels, argmin_is_the_least_index_of_the_minimum) {
  for_types<float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>(
      []<class T>(T) { compare_argmins<T>(); });
}

// Blocks of a smaller product may be larger than those of a larger one, since they are made equal.
template <algebra S, class T> void expect_memory_of_the_largest_to_do() {
  std::mt19937_64 random(5);
  const std::size_t rows = 300, columns = 4100, inner = 8;
  const std::size_t bytes = packed_bytes<S, T>(rows, columns, inner);
  const work_memory work = work_of(bytes + 64);
  const auto a = random_matrix<T>(rows, inner, 0, random);
  const auto b = random_matrix<T>(inner, columns, 0, random);
  matrix<T> c(rows, columns, 0);
  for (unsigned i = 0; i < 12; ++i) {
    const std::size_t m = i % 2 == 0 ? rows : 1 + random() % rows;
    const std::size_t n = 1 + random() % columns;
    const std::size_t k = i % 4 < 2 ? inner : 1 + random() % inner;
    std::fill_n(work.get() + bytes, 64, std::byte{77});
    multiply_packed<S, T>(
        {m, n, k, factor_of(a), factor_of(b), c.elements.data(), c.leading, T(1), false},
        work.get());
    ASSERT_TRUE(std::all_of(work.get() + bytes, work.get() + bytes + 64,
                            [](std::byte one) { return one == std::byte{77}; }))
        << m << " x " << n << " x " << k;
  }
}

TEST_P(matmul_kernels, memory_for_the_largest_product_does_for_smaller_ones) {
  expect_memory_of_the_largest_to_do<algebra::plus_times, double>();
  expect_memory_of_the_largest_to_do<algebra::plus_times, float>();
  expect_memory_of_the_largest_to_do<algebra::min_plus, float>();
}

}  // namespace matmul_kernels_test
