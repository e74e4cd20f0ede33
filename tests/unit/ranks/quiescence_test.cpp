// SPDX-License-Identifier: Apache-2.0
#include "processes/quiescence.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace quiescence_test {

using pleat::detail::quiescence;

/// Both ranks are idle and say that they have sent and received so much each.
bool both_answer(quiescence& q, std::uint64_t sent, std::uint64_t received) {
  EXPECT_TRUE(q.asks());
  EXPECT_FALSE(q.asks()) << "all have been asked already";
  const bool found = q.answered(0, q.question(), true, sent, received);
  return q.answered(1, q.question(), true, sent, received) || found;
}

TEST(quiescence, is_found_when_all_have_answered_twice_alike_that_nothing_is_on_its_way) {
  quiescence q;
  q.start(2);
  q.is_idle(0);
  EXPECT_FALSE(q.asks());
  q.is_idle(1);
  EXPECT_FALSE(both_answer(q, 6, 5));
  EXPECT_FALSE(both_answer(q, 6, 5));
  EXPECT_FALSE(both_answer(q, 6, 6));
  EXPECT_FALSE(both_answer(q, 7, 7)) << "somebody was active between the two";
  ASSERT_TRUE(q.asks());
  EXPECT_FALSE(q.answered(0, q.question() - 1, true, 7, 7)) << "the answer to another question";
  EXPECT_FALSE(q.answered(0, q.question(), false, 7, 7));
  EXPECT_FALSE(q.answered(1, q.question(), true, 7, 7));
  EXPECT_FALSE(q.asks()) << "one is not idle any more";
  q.is_idle(0);
  EXPECT_FALSE(both_answer(q, 7, 7));
  EXPECT_TRUE(both_answer(q, 7, 7));
}

}  // namespace quiescence_test
