// SPDX-License-Identifier: Apache-2.0
#include "processes/quiescence.hpp"

#include <cstddef>

#include <gtest/gtest.h>

namespace quiescence_test {

using pleat::detail::quiescence;

/// All ranks are idle and say that they have sent and received so much each.
bool all_answer(quiescence& q, std::size_t ranks, std::uint64_t sent, std::uint64_t received) {
  bool found = false;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    found |= q.answered(rank, q.question(), true, sent, received);
  return found;
}

TEST(quiescence, asks_when_the_last_rank_has_become_idle_or_has_ended) {
  quiescence q;
  q.start(3);
  EXPECT_FALSE(q.asks());
  q.is_idle(2);
  q.has_ended(0);
  EXPECT_FALSE(q.asks());
  q.is_idle(1);
  EXPECT_TRUE(q.asks());
  EXPECT_FALSE(q.asks()) << "all have been asked already";
  EXPECT_FALSE(q.all_ended());
}

TEST(quiescence, is_found_when_all_have_answered_twice_alike) {
  quiescence q;
  q.start(2);
  q.is_idle(0);
  q.is_idle(1);
  ASSERT_TRUE(q.asks());
  EXPECT_FALSE(all_answer(q, 2, 5, 5));
  ASSERT_TRUE(q.asks());
  EXPECT_TRUE(all_answer(q, 2, 5, 5));
}

TEST(quiescence, is_not_found_while_a_message_is_on_its_way) {
  quiescence q;
  q.start(2);
  q.is_idle(0);
  q.is_idle(1);
  for (int times = 0; times < 5; ++times) {
    ASSERT_TRUE(q.asks());
    EXPECT_FALSE(all_answer(q, 2, 6, 5));
  }
  ASSERT_TRUE(q.asks());
  EXPECT_FALSE(all_answer(q, 2, 6, 6));
  ASSERT_TRUE(q.asks());
  EXPECT_FALSE(all_answer(q, 2, 7, 7)) << "somebody was active between the two";
  ASSERT_TRUE(q.asks());
  EXPECT_TRUE(all_answer(q, 2, 7, 7));
}

TEST(quiescence, waits_for_a_rank_that_is_not_idle_any_more) {
  quiescence q;
  q.start(2);
  q.is_idle(0);
  q.is_idle(1);
  ASSERT_TRUE(q.asks());
  EXPECT_FALSE(q.answered(0, q.question(), false, 1, 1));
  EXPECT_FALSE(q.answered(1, q.question(), true, 1, 1));
  EXPECT_FALSE(q.asks());
  q.is_idle(0);
  ASSERT_TRUE(q.asks());
  EXPECT_FALSE(q.answered(0, q.question() - 1, true, 1, 1)) << "the answer to an earlier question";
  EXPECT_FALSE(all_answer(q, 2, 1, 1));
  ASSERT_TRUE(q.asks());
  EXPECT_TRUE(all_answer(q, 2, 1, 1));
}

}  // namespace quiescence_test
