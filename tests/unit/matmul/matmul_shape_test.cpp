// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "matmul/matmul_program.hpp"

namespace matmul_shape_test {

using namespace pleat::detail::matmul;
using pleat::detail::rectangle;

constexpr rectangle matrix(std::size_t rows, std::size_t columns) {
  return {{0, rows}, {0, columns}};
}

TEST(matmul_shape, shares_partition_the_matrix) {
  for (const auto& [rows, columns] : {std::array<std::size_t, 2>{8, 8}, {5, 13}, {1, 40}, {3, 1}})
    for (std::size_t w = 1; w <= 64; ++w) {
      std::vector<int> covered(rows * columns);
      for (std::size_t q = 0; q < w; ++q) {
        const rectangle share = share_of(matrix(rows, columns), w, q);
        for (std::size_t i = share.rows.first; i < share.rows.last; ++i)
          for (std::size_t j = share.columns.first; j < share.columns.last; ++j)
            ++covered[i * columns + j];
      }
      EXPECT_EQ(covered, std::vector<int>(rows * columns, 1)) << rows << " x " << columns;
    }
}

TEST(matmul_shape, quarters_of_a_segment_hold_quadrants) {
  for (std::size_t q = 0; q < 64; ++q) {
    const rectangle quadrant{{q / 32 * 4, q / 32 * 4 + 4}, {q / 16 % 2 * 4, q / 16 % 2 * 4 + 4}};
    const rectangle share = share_of(matrix(8, 8), 64, q);
    EXPECT_EQ(share, share_of(quadrant, 16, q % 16));
    EXPECT_EQ(share.size(), 1u);
  }
}

TEST(matmul_shape, finds_every_share_a_piece_has_elements_of) {
  const rectangle whole = matrix(11, 6);
  const rectangle piece{{3, 9}, {1, 4}};
  for (std::size_t w = 1; w <= 32; ++w) {
    std::vector<rectangle> found(w);
    for_each_share(whole, w, piece, [&](std::size_t q, const rectangle& part) { found[q] = part; });
    for (std::size_t q = 0; q < w; ++q) {
      const rectangle common = intersect(share_of(whole, w, q), piece);
      if (common.empty())
        EXPECT_TRUE(found[q].empty());
      else
        EXPECT_EQ(found[q], common);
    }
  }
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

TEST(matmul_shape, two_processors_split_the_longest_dimension) {
  const auto first_cut = [](std::size_t m, std::size_t n, std::size_t k) {
    return make_matmul_plan(m, n, k, 2, false).levels.at(0).along[0];
  };
  EXPECT_EQ(first_cut(10, 10, 10), dimension::rows);
  EXPECT_EQ(first_cut(10, 11, 11), dimension::columns);
  EXPECT_EQ(first_cut(10, 11, 12), dimension::inner);
}

TEST(matmul_shape, sums_take_no_more_memory_than_the_result_up_to_32) {
  for (const std::size_t vps : {2, 4})
    EXPECT_EQ(make_matmul_plan(96, 96, 96, vps, false).memory, 0u);
  for (const std::size_t vps : {8, 16, 32})
    EXPECT_EQ(make_matmul_plan(96, 96, 96, vps, false).memory, 96u * 96u);
}

}  // namespace matmul_shape_test
