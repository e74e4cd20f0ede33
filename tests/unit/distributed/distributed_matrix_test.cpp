// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/runtime/machine.hpp>

#include "on_ranks.hpp"

namespace distributed_matrix_test {

using pleat::distributed_matrix;

double number(std::size_t i, std::size_t j) { return static_cast<double>(1000 * i + j); }

TEST(distributed_matrix, is_zero_then_filled_then_gathered) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    const std::pair<std::size_t, std::size_t> shapes[] = {{0, 0}, {0, 5},  {5, 0},   {1, 1},
                                                          {1, 9}, {40, 2}, {23, 31}, {16, 16}};
    for (const auto& [m, n] : shapes) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " on " +
                   std::to_string(workers.size()));
      const std::size_t rows = m, columns = n;
      on_ranks(machine, [&](pleat::machine& on) {
        distributed_matrix<double> a(on, rows, columns);
        EXPECT_EQ(a.row_count(), rows);
        EXPECT_EQ(a.column_count(), columns);
        EXPECT_EQ(a.gather(on), std::vector<double>(rows * columns));
        a.fill(on, number);
        const pleat::strided_view<const double> mine = std::as_const(a).local();
        ASSERT_EQ(mine.rows, a.rows().size());
        ASSERT_EQ(mine.columns, a.columns().size());
        for (std::size_t i = 0; i < mine.rows; ++i)
          for (std::size_t j = 0; j < mine.columns; ++j)
            ASSERT_EQ(mine.data[i * mine.stride + j],
                      number(a.rows().first + i, a.columns().first + j));
        const std::vector<double> all = a.gather(on);
        ASSERT_EQ(all.size(), rows * columns);
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(all[i * columns + j], number(i, j));
      });
    }
  }
}

struct pair_of {
  short first = 7;
  char second = 'x';
};

TEST(distributed_matrix, holds_what_its_elements_are_when_made_without_arguments) {
  const machine_of_ranks machine({1, 2, 1});
  on_ranks(machine, [](pleat::machine& on) {
    const distributed_matrix<pair_of> a(on, 5, 7);
    for (const pair_of& each : a.gather(on)) {
      ASSERT_EQ(each.first, 7);
      ASSERT_EQ(each.second, 'x');
    }
  });
}

TEST(distributed_matrix, moves_without_its_elements_moving) {
  const machine_of_ranks machine({1, 1});
  on_ranks(machine, [](pleat::machine& on) {
    distributed_matrix<int> a(on, 4, 4);
    a.fill(on, [](std::size_t i, std::size_t j) { return i == j; });
    const int* const where = a.local().data;
    distributed_matrix<int> b(std::move(a));
    EXPECT_EQ(b.local().data, where);
    distributed_matrix<int> c;
    EXPECT_EQ(c.size(), 0U);
    c = std::move(b);
    EXPECT_EQ(c.local().data, where);
    EXPECT_EQ(c.gather(on)[5], 1);
  });
}

}  // namespace distributed_matrix_test
