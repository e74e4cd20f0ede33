// SPDX-License-Identifier: Apache-2.0
// The formulas of the evaluation model and of the D-BSP, on traces small enough to do by hand.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/error.hpp>

namespace cost_trace_test {

using pleat::cost_trace, pleat::first_difference, pleat::superstep_degrees, pleat::usage_error;
using steps = std::vector<superstep_degrees>;
using numbers = std::vector<double>;

// M(8): two 0-supersteps, a 1- and a 2-superstep.
cost_trace example() {
  return {8,
          {{0, {0, 6, 5, 3}, 1}, {1, {0, 0, 4, 2}, 2}, {0, {0, 1, 1, 1}, 3}, {2, {0, 0, 0, 7}, 4}},
          40};
}

TEST(cost_trace, has_the_messages_between_processors_that_were_counted) {
  EXPECT_EQ(example().processors(), 0u);
  EXPECT_THROW((void)example().messages_between(0, 0, 0), usage_error);
  const cost_trace t(8, {{0, {0, 1, 1, 1}, 1}}, 12, 2, {{1, 5, 6, 0}, {}, {}});
  EXPECT_EQ(t.processors(), 2u);
  EXPECT_EQ(t.messages_between(0, 0, 1), 5u);
  EXPECT_EQ(t.messages_between(0, 1, 0), 6u);
  EXPECT_EQ(t.messages_between(2, 1, 1), 0u);
  EXPECT_THROW((void)t.messages_between(3, 0, 0), usage_error);
  EXPECT_THROW((void)t.messages_between(0, 0, 2), usage_error);
  EXPECT_THROW(cost_trace(8, {}, 0, 2, {{1, 5, 6, 0}, {}}), usage_error);
  EXPECT_THROW(cost_trace(8, {}, 0, 2, {{1, 5, 6}, {}, {}}), usage_error);
}

TEST(cost_trace, sums_supersteps_and_degrees_per_label) {
  const cost_trace t = example();
  EXPECT_EQ(t.S(0), 2u);
  EXPECT_EQ(t.S(1), 1u);
  EXPECT_EQ(t.S(2), 1u);
  const std::uint64_t F[3][4] = {{0, 7, 6, 4}, {0, 0, 4, 2}, {0, 0, 0, 7}};
  for (unsigned i = 0; i < 3; ++i) {
    for (unsigned j = 0; j <= 3; ++j) EXPECT_EQ(t.F(i, j), F[i][j]) << i << ", " << j;
  }
}

TEST(cost_trace, adds_up_to_the_communication_complexity) {
  const cost_trace t = example();
  EXPECT_EQ(t.H(0, 100), 0);  // one processor does not communicate
  EXPECT_EQ(t.H(1, 0), 7);
  EXPECT_EQ(t.H(1, 10), 7 + 2 * 10);
  EXPECT_EQ(t.H(2, 10), 6 + 4 + 3 * 10);
  EXPECT_EQ(t.H(3, 0.5), 4 + 2 + 7 + 4 * 0.5);
}

TEST(cost_trace, adds_up_to_the_communication_time) {
  const cost_trace t = example();
  const numbers g{100, 10, 1}, l{3000, 200, 10};
  EXPECT_EQ(t.D(0, {}, {}), 0);
  EXPECT_EQ(t.D(1, g, l), 7 * 100 + 2 * 3000);
  EXPECT_EQ(t.D(2, g, l), 6 * 100 + 2 * 3000 + 4 * 10 + 200);
  EXPECT_EQ(t.D(3, g, l), 4 * 100 + 2 * 3000 + 2 * 10 + 200 + 7 * 1 + 10);
}

TEST(cost_trace, finds_the_largest_alpha) {
  const cost_trace t = example();
  EXPECT_EQ(t.wiseness(0), 1);
  EXPECT_EQ(t.wiseness(1), 1);
  // k = 1: 7 ≥ α · 2 · 6
  EXPECT_DOUBLE_EQ(t.wiseness(2), 7.0 / 12);
  // k = 1: 7 ≥ α · 4 · 4; k = 2: 6 + 4 ≥ α · 2 · (4 + 2)
  EXPECT_DOUBLE_EQ(t.wiseness(3), 7.0 / 16);
}

TEST(cost_trace, finds_the_largest_gamma) {
  const cost_trace t = example();
  EXPECT_EQ(t.fullness(0), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(t.fullness(1), 7.0 / 2);
  // k = 1: 7 ≥ γ · 2 · 2; k = 2: 10 ≥ γ · 3
  EXPECT_DOUBLE_EQ(t.fullness(2), 7.0 / 4);
  // k = 1: 7 ≥ γ · 4 · 2; k = 2: 10 ≥ γ · 2 · 3; k = 3: 13 ≥ γ · 4
  EXPECT_DOUBLE_EQ(t.fullness(3), 7.0 / 8);
}

TEST(cost_trace, of_nothing_is_wise_and_full) {
  const cost_trace nothing(16, {}, 0);
  EXPECT_EQ(nothing.H(4, 1000), 0);
  EXPECT_EQ(nothing.wiseness(4), 1);
  EXPECT_EQ(nothing.fullness(4), std::numeric_limits<double>::infinity());
}

TEST(cost_trace, sees_a_program_without_finer_supersteps_as_not_wise_at_all) {
  // One 1-superstep: two processors never communicate, four do.
  const cost_trace t(4, {{1, {0, 0, 2}}}, 4);
  EXPECT_EQ(t.wiseness(1), 1);
  EXPECT_EQ(t.wiseness(2), 1);  // Σ_{i<1} F^i(4) is 0: nothing is asked of two processors
  EXPECT_EQ(t.fullness(1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(t.fullness(2), 2);
}

TEST(cost_trace, refuses_what_its_machine_does_not_have) {
  const cost_trace t = example();
  EXPECT_THROW((void)t.S(3), usage_error);
  EXPECT_THROW((void)t.F(3, 1), usage_error);
  EXPECT_THROW((void)t.F(0, 4), usage_error);
  EXPECT_THROW((void)t.H(4, 1), usage_error);
  EXPECT_THROW((void)t.wiseness(4), usage_error);
  EXPECT_THROW((void)t.fullness(4), usage_error);
  EXPECT_THROW((void)t.D(3, numbers(2, 1.0), numbers(3, 1.0)), usage_error);
  EXPECT_THROW((void)t.D(3, numbers(3, 1.0), numbers(2, 1.0)), usage_error);
  EXPECT_THROW((void)t.D(4, numbers(4, 1.0), numbers(4, 1.0)), usage_error);
}

TEST(cost_trace, refuses_supersteps_that_cannot_be) {
  EXPECT_THROW(cost_trace(0, {}, 0), usage_error);
  EXPECT_THROW(cost_trace(4, (steps{{2, {0, 0, 0}}}), 0), usage_error);     // no such label
  EXPECT_THROW(cost_trace(4, (steps{{0, {0, 0}}}), 0), usage_error);        // a folding is missing
  EXPECT_THROW(cost_trace(4, (steps{{0, {0, 0, 0, 0}}}), 0), usage_error);  // one too many
  EXPECT_THROW(cost_trace(4, (steps{{1, {0, 1, 1}}}), 1), usage_error);     // local computation
}

std::string difference(const cost_trace& one, const cost_trace& other) {
  const auto there = first_difference(one, other), back = first_difference(other, one);
  EXPECT_EQ(there.has_value(), back.has_value());
  EXPECT_EQ(there.value_or("").find('\n'), std::string::npos);
  return there.value_or("none");
}

TEST(cost_traces, differ_first_where_they_say) {
  const steps s{{0, {0, 3, 2}, 5}, {1, {0, 0, 1}, 6}};
  const cost_trace t(4, s, 9);
  EXPECT_EQ(difference(t, cost_trace(8, {}, 0)), "M(4) in one run, M(8) in the other");
  EXPECT_EQ(difference(t, cost_trace(4, {s[0]}, 9)),
            "number of supersteps 2 in one run, 1 in the other");
  EXPECT_EQ(difference(t, cost_trace(4, {s[0], {0, {0, 0, 1}, 6}}, 9)),
            "superstep 1: label 1 in one run, 0 in the other");
  EXPECT_EQ(difference(t, cost_trace(4, {{0, {0, 4, 2}, 5}, {0, {0, 0, 1}, 6}}, 9)),
            "superstep 0: degree on 2^1 processors 3 in one run, 4 in the other");
  EXPECT_EQ(difference(t, cost_trace(4, {s[0], {1, {0, 0, 1}, 7}}, 9)),
            "superstep 1: the same degrees, but other sources or destinations of messages");
  EXPECT_EQ(difference(t, cost_trace(4, s, 8)), "number of messages 9 in one run, 8 in the other");
}

}  // namespace cost_trace_test
