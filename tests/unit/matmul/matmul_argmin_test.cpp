// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>

#include <gtest/gtest.h>

#include <pleat/oblivious/matmul.hpp>

#include "unit/matmul/matmul_problem.hpp"

namespace matmul_argmin_test {

using namespace matmul_tests;

template <class T>
void argmin_is_right(machine& on, const problem& size, std::size_t vps, bool accumulate) {
  using index_type = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  std::mt19937_64 random(vps);
  matrix<T> a(size.m, size.k, 1, random), b(size.k, size.n, 0, random),
      c(size.m, size.n, 1, random);
  for (auto* m : {&a, &b})
    for (auto& x : m->elements)
      if (random() % 3 == 0) x.value = pleat::min_plus::zero<T>();
  matrix<index_type> index(size.m, size.n, 2);
  for (auto& x : index.elements) x.value = -9;
  auto expected = c;
  auto places = index;
  for (std::size_t i = 0; i < size.m; ++i)
    for (std::size_t j = 0; j < size.n; ++j) {
      if (!accumulate) {
        expected(i, j) = pleat::min_plus::zero<T>();
        places(i, j) = -1;
      }
      for (std::size_t k = 0; k < size.k; ++k) {
        const T sum = pleat::min_plus::times(a(i, k), b(k, j));
        if (sum >= expected(i, j)) continue;
        expected(i, j) = sum;
        places(i, j) = static_cast<index_type>(k);
      }
    }
  pleat::matmul_argmin(on, a.view(), b.view(), c.view(), index.view(),
                       {.accumulate = accumulate, .vps = vps});
  ASSERT_EQ(c.elements, expected.elements) << vps;
  ASSERT_EQ(index.elements, places.elements) << vps;
}

TEST(matmul_argmin, says_where_for_every_number_of_virtual_processors) {
  for (const unsigned p : {1u, 2u, 3u, 6u})
    for (const std::size_t vps : {1, 2, 4, 8, 16, 64, 100, 256})
      for (const problem& size : {problem{16, 16, 16}, {3, 5, 70}, {33, 20, 7}, {4, 4, 0}})
        for (const bool accumulate : {false, true}) {
          argmin_is_right<float>(workers(p), size, vps, accumulate);
          argmin_is_right<std::int64_t>(workers(p), size, vps, accumulate);
        }
}

// Packed blocks hold some hundred of them at a time.
TEST(matmul_argmin, says_where_among_many_columns) {
  const problem size{5, 6, 3000};
  for (const bool accumulate : {false, true}) {
    argmin_is_right<float>(workers(1), size, 1, accumulate);
    argmin_is_right<std::int64_t>(workers(1), size, 1, accumulate);
  }
}

}  // namespace matmul_argmin_test
