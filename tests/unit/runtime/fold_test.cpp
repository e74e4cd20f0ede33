// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include <gtest/gtest.h>

#include <pleat/runtime/fold.hpp>

namespace fold_test {

using pleat::cluster_of, pleat::fold, pleat::label_count, pleat::rank_range, pleat::shared_bits;

constexpr std::size_t sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  15, 16,
                                 17, 31, 32, 33, 48, 63, 64, 65, 70, 100};

TEST(label_count, is_the_width_of_the_largest_rank_and_at_least_one) {
  static_assert(label_count(1) == 1 && label_count(2) == 1);
  static_assert(label_count(3) == 2 && label_count(4) == 2);
  static_assert(label_count(5) == 3 && label_count(1 << 16) == 16);
  static_assert(label_count((std::size_t{1} << 32) - 1) == 32);
  for (const std::size_t v : sizes) {
    unsigned width = 1;
    while (std::size_t{1} << width < v) ++width;
    EXPECT_EQ(label_count(v), width) << "v = " << v;
  }
}

TEST(cluster_of, is_exactly_the_ranks_that_agree_in_the_leading_bits) {
  for (const std::size_t v : sizes) {
    const unsigned labels = label_count(v);
    for (unsigned label = 0; label <= labels; ++label) {
      for (std::size_t rank = 0; rank < v; ++rank) {
        const rank_range cluster = cluster_of(v, rank, label);
        for (std::size_t other = 0; other < v; ++other) {
          const bool agree = rank >> (labels - label) == other >> (labels - label);
          ASSERT_EQ(cluster.contains(other), agree)
              << "v = " << v << ", label " << label << ", ranks " << rank << " and " << other;
        }
        ASSERT_LE(cluster.last, v);
      }
    }
  }
}

TEST(shared_bits, is_the_finest_label_whose_cluster_holds_both) {
  for (const std::size_t v : sizes) {
    for (std::size_t a = 0; a < v; ++a) {
      for (std::size_t b = 0; b < v; ++b) {
        const unsigned shared = shared_bits(v, a, b);
        ASSERT_TRUE(cluster_of(v, a, shared).contains(b)) << v << ": " << a << ", " << b;
        ASSERT_EQ(shared, shared_bits(v, b, a));
        if (a == b)
          ASSERT_EQ(shared, label_count(v));
        else
          ASSERT_FALSE(cluster_of(v, a, shared + 1).contains(b)) << v << ": " << a << ", " << b;
      }
    }
  }
}

TEST(fold, gives_every_rank_to_exactly_one_processor_in_ascending_ranges) {
  for (const std::size_t v : sizes) {
    for (std::size_t p = 1; p <= v; ++p) {
      const fold f(v, p);
      std::size_t next = 0;
      for (std::size_t j = 0; j < p; ++j) {
        ASSERT_EQ(f.ranks(j).first, next) << v << " on " << p;
        next = f.ranks(j).last;
      }
      ASSERT_EQ(next, v);
    }
  }
}

TEST(fold, is_balanced_to_one_rank) {
  for (const std::size_t v : sizes) {
    for (std::size_t p = 1; p <= v; ++p) {
      const fold f(v, p);
      for (std::size_t j = 0; j < p; ++j) {
        ASSERT_GE(f.ranks(j).size(), v / p);
        ASSERT_LE(f.ranks(j).size(), (v + p - 1) / p);
      }
    }
  }
}

TEST(fold, knows_the_owner_of_every_rank) {
  for (const std::size_t v : sizes) {
    for (std::size_t p = 1; p <= v; ++p) {
      const fold f(v, p);
      for (std::size_t rank = 0; rank < v; ++rank)
        ASSERT_TRUE(f.ranks(f.owner(rank)).contains(rank)) << v << " on " << p << ": " << rank;
    }
  }
}

TEST(fold, does_not_overflow_at_the_largest_machine) {
  const std::size_t v = (std::size_t{1} << 32) - 1;
  for (const std::size_t p :
       {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{65535}}) {
    const fold f(v, p);
    EXPECT_EQ(f.ranks(p - 1).last, v);
    EXPECT_EQ(f.owner(v - 1), p - 1);
    for (std::size_t j = 0; j < p; j += 1 + p / 5) {
      EXPECT_EQ(f.owner(f.ranks(j).first), j);
      EXPECT_EQ(f.owner(f.ranks(j).last - 1), j);
    }
  }
}

}  // namespace fold_test
