// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/runtime/error.hpp>
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

TEST(distributed_matrix, is_refused_on_all_ranks_where_they_ask_for_different_sizes) {
  const machine_of_ranks machine({1, 1, 1});
  expect_words(machine, "distributed_matrix: sizes", [](pleat::machine& on) {
    distributed_matrix<int> a(on, on.rank() == 1 ? 6 : 4, on.rank() == 1 ? 4 : 6);
  });
}

TEST(distributed_matrix, is_refused_with_more_elements_than_can_be_counted) {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const auto& workers : {std::vector<unsigned>{1}, std::vector<unsigned>{1, 1}}) {
    const machine_of_ranks machine(workers);
    for (const auto& [rows, columns] :
         {std::pair{most, most}, std::pair{most / 4, std::size_t{2}}}) {
      const std::size_t m = rows, n = columns;
      expect_words(machine, "more elements than can be counted",
                   [&](pleat::machine& on) { distributed_matrix<double> a(on, m, n); });
    }
  }
}

TEST(distributed_matrix, ends_on_all_ranks_with_what_one_throws) {
  const machine_of_ranks machine({1, 1, 1});
  expect_words(machine, "no more rows", [](pleat::machine& on) {
    distributed_matrix<int> a(on, 9, 9);
    a.fill(on, [](std::size_t i, std::size_t) -> int {
      if (i == 8) throw std::runtime_error("no more rows");
      return 0;
    });
  });
}

TEST(distributed_matrix, of_another_machine_is_refused) {
  const machine_of_ranks two({1, 1});
  on_ranks(two, [](pleat::machine& on) {
    pleat::machine other({.processors = 1U});
    distributed_matrix<int> a(on, 2, 2);
    try {
      a.fill(other, [](std::size_t, std::size_t) { return 1; });
      ADD_FAILURE() << "nothing thrown";
    } catch (const pleat::usage_error& e) {
      EXPECT_NE(std::string(e.what()).find("give it the machine"), std::string::npos) << e.what();
    }
  });
}

}  // namespace distributed_matrix_test
