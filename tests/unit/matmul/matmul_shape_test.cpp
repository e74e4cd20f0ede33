// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include "matmul/matmul_program.hpp"

namespace matmul_shape_test {

using namespace pleat::detail::matmul;
using pleat::detail::rectangle;

constexpr rectangle matrix(std::size_t rows, std::size_t columns) {
  return {{0, rows}, {0, columns}};
}

TEST(matmul_shape, a_square_product_is_cut_into_eight_level_by_level) {
  const matmul_plan plan = make_matmul_plan(64, 64, 64, 4096, false);
  ASSERT_EQ(plan.levels.size(), 4u);
  for (const level& one : plan.levels) {
    EXPECT_EQ(one.cuts, 3u);
    EXPECT_EQ(one.along[0], dimension::rows);
    EXPECT_EQ(one.along[1], dimension::columns);
    EXPECT_EQ(one.along[2], dimension::inner);
    EXPECT_EQ(one.sums, 4u);
    EXPECT_FALSE(one.rounds);
  }
  // n^(1/3) elements a VP at the end: the memory blow-up of the paper.
  EXPECT_EQ(plan.rows * plan.inner, 16u);
  EXPECT_EQ(plan.memory, (1u + 2 + 4 + 8) * 4096);
}

TEST(matmul_shape, in_rounds_it_is_cut_into_four_and_needs_no_memory) {
  const matmul_plan plan = make_matmul_plan(64, 64, 64, 4096, true);
  ASSERT_EQ(plan.levels.size(), 6u);
  for (const level& one : plan.levels) EXPECT_TRUE(one.rounds);
  EXPECT_EQ(plan.memory, 0u);
  EXPECT_EQ(plan.rows * plan.columns * plan.inner, 1u);
}

TEST(matmul_shape, rounds_are_those_of_the_paper) {
  // A00·B00, A01·B11, A11·B10, A10·B01; then A01·B10, A00·B01, A10·B00, A11·B11.
  const matmul_plan plan = make_matmul_plan(2, 2, 2, 4, true);
  const cuboid whole{{0, 2}, {0, 2}, {0, 2}};
  const std::array<std::array<std::size_t, 4>, 2> inner{{{0, 1, 1, 0}, {1, 0, 0, 1}}};
  for (unsigned round = 0; round < 2; ++round)
    for (std::size_t sub = 0; sub < 4; ++sub) {
      const cuboid part =
          plan.levels[0].part(whole, sub).half(dimension::inner, level::inner_half(sub, round));
      EXPECT_EQ(part.rows.first, sub / 2);
      EXPECT_EQ(part.columns.first, sub % 2);
      EXPECT_EQ(part.inner.first, inner[round][sub]);
    }
}

TEST(matmul_shape, sums_take_no_more_memory_than_the_result_up_to_32) {
  for (const std::size_t vps : {2, 4})
    EXPECT_EQ(make_matmul_plan(96, 96, 96, vps, false).memory, 0u);
  for (const std::size_t vps : {8, 16, 32})
    EXPECT_EQ(make_matmul_plan(96, 96, 96, vps, false).memory, 96u * 96u);
}

}  // namespace matmul_shape_test
