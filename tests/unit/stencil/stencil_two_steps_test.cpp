// SPDX-License-Identifier: Apache-2.0
// Two steps of pairs of rows in one pass, the second a vector behind the first, with every
// instruction set this processor has.
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>

#include "unit/stencil/stencil_sweeps.hpp"

namespace stencil_two_steps_test {

using namespace stencil_tests;
namespace inner = pleat::detail::stencils;

class two_steps : public stencil_sweeps {
 protected:
  pleat::machine machine_{{.processors = 2U}};
};

TEST_F(two_steps, are_the_serial_sweep_for_all_lengths_of_rows) {
  for (const boundary edge : all_edges)
    for (std::size_t columns = 190; columns < 222; ++columns)
      expect_sweeps_of_all_sets<std::uint64_t, 2>(machine_, {9, columns}, {edge, edge}, 4, 1,
                                                  weighted);
}

TEST_F(two_steps, are_the_serial_sweep_for_all_numbers_of_rows_and_steps) {
  for (const boundary edge : all_edges)
    for (const boundary side : all_edges)
      for (const std::size_t rows : {1, 2, 3, 4, 5, 6, 7, 40})
        for (const std::size_t steps : {1, 2, 3, 6, 11})
          for (const std::size_t vps : {1, 2})
            expect_sweeps_of_all_sets<std::uint64_t, 2>(machine_, {rows, 231}, {edge, side}, steps,
                                                        vps, weighted);
}

TEST_F(two_steps, of_rows_that_are_cut_are_the_serial_sweep) {
  for (const boundary edge : all_edges)
    for (const std::size_t columns : {7000, 7003})
      expect_sweeps_of_all_sets<std::uint64_t, 2>(machine_, {24, columns}, {edge, edge}, 9, 2,
                                                  weighted);
}

/// The levels lie differently to cache lines, and rows of one level too.
TEST_F(two_steps, do_not_mind_where_rows_begin) {
  constexpr std::size_t rows = 12, columns = 240, steps = 7;
  reference_grid<std::uint64_t, 2> expected{{rows, columns},
                                            random_cells<std::uint64_t>(rows * columns, 3)};
  const auto start = expected.cells;
  auto none = expected;
  for (std::size_t t = 0; t < steps; ++t)
    reference_step(expected, none, {boundary::reflecting, boundary::periodic}, weighted);
  for (const auto set : inner::all_instructions())
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const std::size_t stride = columns + 2 + shift % 3;
      std::vector<std::uint64_t> one(rows * stride + 8), other(rows * columns + 8);
      const grid_view<std::uint64_t, 2> a(one.data() + shift, {rows, columns}, {stride, 1}),
          b(other.data() + shift * 5 % 8, {rows, columns});
      for (std::size_t i = 0; i < rows * columns; ++i)
        one[shift + i / columns * stride + i % columns] = start[i];
      inner::run_stencil<false>(
          machine_, std::tuple<inner::field<std::uint64_t, 2>>({{a, b}}), steps, weighted,
          {.edges = {boundary::reflecting, boundary::periodic}, .vps = 1}, set);
      for (std::size_t i = 0; i < rows * columns; ++i)
        ASSERT_EQ(one[shift + i / columns * stride + i % columns], expected.cells[i])
            << "cell " << i << ", shift " << shift << ", instruction set " << static_cast<int>(set);
    }
}

}  // namespace stencil_two_steps_test
