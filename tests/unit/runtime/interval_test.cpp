// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include <gtest/gtest.h>

#include <pleat/runtime/interval.hpp>

namespace interval_test {

using pleat::interval;

TEST(interval, whose_end_is_not_after_its_beginning_is_empty) {
  constexpr interval<> backwards{5, 3};
  EXPECT_TRUE(backwards.empty());
  EXPECT_EQ(backwards.size(), 0U);
  EXPECT_FALSE(backwards.contains(4));
  EXPECT_TRUE((interval<>{4, 4}.empty()));
}

TEST(interval, may_have_a_negative_beginning) {
  constexpr interval<std::ptrdiff_t> around{-2, 3};
  EXPECT_EQ(around.size(), 5);
  EXPECT_TRUE(around.contains(-2));
  EXPECT_FALSE(around.contains(3));
}

TEST(interval, intersects_to_what_both_contain) {
  for (std::size_t a = 0; a < 7; ++a) {
    for (std::size_t b = 0; b < 7; ++b) {
      for (std::size_t c = 0; c < 7; ++c) {
        for (std::size_t d = 0; d < 7; ++d) {
          const interval<> x{a, b};
          const interval<> y{c, d};
          for (std::size_t i = 0; i < 8; ++i)
            EXPECT_EQ(intersect(x, y).contains(i), x.contains(i) && y.contains(i));
        }
      }
    }
  }
}

TEST(interval, has_shares_that_follow_one_another_and_differ_by_one_at_most) {
  for (std::size_t size = 0; size < 20; ++size) {
    for (std::size_t count = 1; count < 12; ++count) {
      const interval<> whole{3, 3 + size};
      std::size_t next = whole.first;
      for (std::size_t i = 0; i < count; ++i) {
        const interval<> share = whole.share(i, count);
        EXPECT_EQ(share.first, next);
        EXPECT_GE(share.size(), size / count);
        EXPECT_LE(share.size(), (size + count - 1) / count);
        next = share.last;
      }
      EXPECT_EQ(next, whole.last);
    }
  }
}

}  // namespace interval_test
