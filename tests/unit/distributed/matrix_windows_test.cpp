// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>

namespace matrix_windows_test {

using pleat::interval;
using namespace pleat::detail::distribution;

TEST(matrix_windows, make_up_exactly_the_elements_of_a_range_in_their_order) {
  for (const std::size_t columns : {1, 2, 5, 7}) {
    const std::size_t n = 4 * columns;
    for (std::size_t first = 0; first <= n; ++first) {
      for (std::size_t last = first; last <= n; ++last) {
        std::size_t next = first;
        for (const matrix_window& w : windows_of({first, last}, columns)) {
          ASSERT_FALSE(w.empty());
          for (std::size_t i = w.rows.first; i < w.rows.last; ++i) {
            for (std::size_t j = w.columns.first; j < w.columns.last; ++j)
              ASSERT_EQ(i * columns + j, next++) << first << " " << last << " of " << columns;
          }
        }
        ASSERT_EQ(next, last) << first << " of " << columns;
      }
    }
  }
}

TEST(matrix_windows, take_each_element_to_one_place_of_the_transpose_whatever_the_shares) {
  for (const std::size_t rows : {1, 3, 8}) {
    for (const std::size_t columns : {1, 4, 9}) {
      const std::size_t n = rows * columns;
      for (const std::size_t ranks : {1, 2, 5, 17}) {
        for (const unit_shares& from :
             {unit_shares::of_elements(n), unit_shares::of_rows(rows, columns)}) {
          for (const unit_shares& to :
               {unit_shares::of_elements(n), unit_shares::of_rows(columns, rows)}) {
            std::vector<int> taken(n), put(n);
            for (std::size_t r = 0; r < ranks; ++r) {
              for (std::size_t q = 0; q < ranks; ++q) {
                const interval<> here = from.of(r, ranks), there = to.of(q, ranks);
                for_each_common_window(rows, columns, here, there, [&](const matrix_window& w) {
                  for (std::size_t i = w.rows.first; i < w.rows.last; ++i) {
                    for (std::size_t j = w.columns.first; j < w.columns.last; ++j) {
                      ASSERT_TRUE(here.contains(i * columns + j));
                      ASSERT_TRUE(there.contains(j * rows + i));
                      ++taken[i * columns + j];
                      ++put[j * rows + i];
                    }
                  }
                });
              }
            }
            ASSERT_EQ(taken, std::vector<int>(n, 1));
            ASSERT_EQ(put, std::vector<int>(n, 1));
          }
        }
      }
    }
  }
}

TEST(unit_shares, of_a_part_are_counted_from_its_first_element) {
  for (const std::size_t n : {1, 10, 23}) {
    for (const std::size_t ranks : {1, 3, 17}) {
      const unit_shares all = unit_shares::of_elements(n);
      for (std::size_t first = 0; first <= n; ++first) {
        for (std::size_t last = first; last <= n; ++last) {
          std::size_t next = 0;
          for (std::size_t r = 0; r < ranks; ++r) {
            const interval<> mine = all.only({first, last}).of(r, ranks);
            ASSERT_EQ(mine.first, next);
            next = mine.last;
            for (std::size_t i = mine.first; i < mine.last; ++i)
              ASSERT_TRUE(all.of(r, ranks).contains(first + i));
          }
          ASSERT_EQ(next, last - first);
        }
      }
    }
  }
}

}  // namespace matrix_windows_test
