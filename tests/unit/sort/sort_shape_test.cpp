// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/columnsort.hpp>

namespace sort_shape_test {

using namespace pleat::detail::sorting;

/// Phases 1 to 8 on columns of zeros and ones, all that matters of which is the number of zeros in
/// each. Returns whether the result is sorted.
bool eight_phases_sort(const matrix_shape& shape, std::vector<std::size_t> zeros) {
  const std::size_t r = shape.rows, s = shape.columns;
  std::vector<bool> keys(r * s);
  const auto sort_columns = [&](std::size_t from) {  // `from`: of the first column
    for (std::size_t c = 0; c < s; ++c) {
      const auto first = keys.begin() + static_cast<std::ptrdiff_t>(from + c * r);
      std::sort(first, std::min(first + static_cast<std::ptrdiff_t>(r), keys.end()));
    }
  };
  for (std::size_t c = 0; c < s; ++c)
    for (std::size_t i = 0; i < r; ++i) keys[c * r + i] = i >= zeros[c];
  auto moved = keys;
  for (std::size_t g = 0; g < r * s; ++g) moved[g % s * r + g / s] = keys[g];  // 2
  keys = moved;
  sort_columns(0);
  for (std::size_t g = 0; g < r * s; ++g) moved[g] = keys[g % s * r + g / s];  // 4
  keys = moved;
  sort_columns(0);
  keys.insert(keys.begin(), r / 2, false);  // 6: what wraps counts as less
  keys.resize(r * s + r / 2);
  for (std::size_t c = 0; c <= s; ++c) {
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(c * r);
    std::sort(first, c < s ? first + static_cast<std::ptrdiff_t>(r) : keys.end());
  }
  return std::is_sorted(keys.begin() + static_cast<std::ptrdiff_t>(r / 2), keys.end());
}

TEST(matrix_shapes, are_those_the_eight_phases_sort) {
  std::mt19937_64 random(5);
  for (std::size_t m = 4; m <= std::size_t{1} << 12; m *= 2) {
    const matrix_shape shape = make_matrix_shape(m);
    EXPECT_EQ(shape.rows * shape.columns, m);
    EXPECT_GE(shape.columns, 2);
    EXPECT_GE(shape.rows, 2 * (shape.columns - 1) * (shape.columns - 1));
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<std::size_t> zeros(shape.columns);
      for (auto& z : zeros) z = random() % (shape.rows + 1);
      EXPECT_TRUE(eight_phases_sort(shape, zeros)) << m;
    }
  }
  EXPECT_EQ(make_matrix_shape(std::size_t{1} << 40).rows, std::size_t{1} << 27);
}

TEST(sort_plans, leave_columns_no_shorter_than_rows) {
  for (const std::size_t vps : {1, 2, 3, 7, 16, 64}) {
    for (const std::size_t n : {1, 2, 3, 15, 16, 64, 100, 5000}) {
      const sort_plan plan = make_sort_plan(n, vps);
      EXPECT_GE(plan.holders, 1);
      EXPECT_LE(plan.holders, vps);
      if (plan.block == 0)
        EXPECT_LE(plan.holders * plan.holders, std::max(n, plan.holders));
      else
        EXPECT_EQ(plan.block * vps, n);
    }
  }
  EXPECT_EQ(make_sort_plan(1024, 1024).block, 1);   // literal
  EXPECT_EQ(make_sort_plan(1024, 2).block, 0);      // folded
  EXPECT_EQ(make_sort_plan(1000, 64).holders, 31);  // few keys
}

TEST(sort_plans, finish_in_time_linear_in_the_keys) {
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t n = 1 + random() % (std::size_t{1} << (1 + random() % 23));
    const std::size_t vps = 1 + random() % (std::size_t{1} << (1 + random() % 13));
    const sort_plan plan = make_sort_plan(n, vps);
    EXPECT_LE(plan.holders, vps);
    EXPECT_GE(plan.holders, std::min({vps, n, std::size_t{5}}) / 2);
    if (plan.block != 0) continue;
    // What the VPs merge in the finish: shares, with what lies to both sides of them.
    const block_shape shape = make_block_shape(n, plan.holders, 1);
    std::size_t merged = 0;
    for (std::size_t t = 0; t < shape.chunks(); ++t)
      for (std::size_t q = 0; q < shape.columns; ++q)
        if (const auto share = shape.share(t, q); share.size() != 0)
          merged += std::min(shape.rows, share.size() + 2 * shape.halo()) * shape.columns;
    EXPECT_LE(merged, 4 * n + 2 * 32 * 32 * 32) << n << " keys, " << vps << " VPs";
  }
}

TEST(sort_plans, end_the_recursion_in_matrices_that_finish_in_linear_time) {
  for (std::size_t w = 1; w <= std::size_t{1} << 14; w *= 2) {
    for (std::size_t b = 1; b < w; b *= 2) {
      const block_shape shape = sort_plan{w * b, w, b}.last_matrix(1);
      if (shape.columns == 0) continue;
      EXPECT_TRUE(shape.columns <= 32 || shape.rows >= shape.columns * shape.columns)
          << w << ", " << b;
    }
  }
}

}  // namespace sort_shape_test
