// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/distributed/slabs.hpp>

namespace slabs_test {

using pleat::detail::distribution::halo_piece;
using pleat::detail::distribution::row_place;
using pleat::detail::distribution::slabs;

TEST(slabs, a_halo_is_every_row_of_the_window_that_the_rank_does_not_have_once) {
  for (const bool ring : {false, true}) {
    for (const std::size_t ranks : {1, 2, 3, 5, 17}) {
      for (const std::size_t rows : {0, 1, 2, 5, 16, 17, 40}) {
        for (const std::size_t depth : {1, 2, 3, 7, 16}) {
          if (depth > rows) continue;
          const slabs all(rows, ranks, ring);
          std::vector<std::size_t> holder(rows);
          for (std::size_t r = 0; r < ranks; ++r)
            for (std::size_t i = all.of(r).first; i < all.of(r).last; ++i) holder[i] = r;
          for (std::size_t r = 0; r < ranks; ++r) {
            const auto window = all.window(r, depth);
            const auto first = static_cast<row_place>(all.of(r).first),
                       last = static_cast<row_place>(all.of(r).last);
            if (first == last) {
              EXPECT_TRUE(window.empty());
              EXPECT_TRUE(all.halo(r, depth).empty());
              continue;
            }
            const auto by = static_cast<row_place>(depth), n = static_cast<row_place>(rows);
            EXPECT_EQ(window.first, ring || first > by ? first - by : 0);
            EXPECT_EQ(window.last, ring || last + by < n ? last + by : n);
            std::vector<int> got(static_cast<std::size_t>(window.size()));
            std::size_t owner = 0;
            row_place before = window.first;
            for (const halo_piece& piece : all.halo(r, depth)) {
              EXPECT_GE(piece.owner, owner);
              EXPECT_TRUE(piece.owner > owner || piece.place >= before);
              owner = piece.owner;
              before = piece.place;
              EXPECT_FALSE(piece.rows.empty());
              for (std::size_t i = 0; i < piece.rows.size(); ++i) {
                const row_place place = piece.place + static_cast<row_place>(i);
                ASSERT_TRUE(window.contains(place));
                EXPECT_EQ(static_cast<std::size_t>((place + 16 * n) % n), piece.rows.first + i);
                EXPECT_EQ(holder[piece.rows.first + i], piece.owner);
                ++got[static_cast<std::size_t>(place - window.first)];
              }
            }
            for (row_place place = window.first; place < window.last; ++place)
              EXPECT_EQ(got[static_cast<std::size_t>(place - window.first)],
                        place < first || place >= last ? 1 : 0);
          }
        }
      }
    }
  }
}

TEST(slabs, are_stepped_no_deeper_than_pays) {
  for (const std::size_t ranks : {1, 2, 5, 17, 1000}) {
    for (const std::size_t rows : {0, 1, 5, 17, 100, 1000, 100'000}) {
      for (const std::size_t cells : {1, 100, 10'000, 1'000'000}) {
        for (const std::size_t steps : {1, 2, 7, 1000}) {
          const std::size_t k = slabs(rows, ranks, true).depth(cells, steps);
          EXPECT_GE(k, 1u);
          EXPECT_LE(k, steps);
          if (rows > 0) {
            EXPECT_LE(k, rows);
          }
          if (k == 1) continue;
          const std::size_t slab = rows / ranks;
          // Little of the work, or little work.
          EXPECT_TRUE(16 * k <= slab || (k * k * cells <= 1 << 14 && k <= 4 * slab))
              << rows << ' ' << ranks << ' ' << cells << ": " << k;
        }
      }
    }
  }
  EXPECT_EQ(slabs(4096, 4, false).depth(4096, 100), 64u);
  EXPECT_EQ(slabs(65536, 4, false).depth(4096, 1000), 256u);
}

}  // namespace slabs_test
