// SPDX-License-Identifier: Apache-2.0
// Random static programs under the ascend-descend protocol: whatever their clusters send, and
// whichever VPs end early, they perform the labels of the protocol.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/evaluate.hpp>

#include "base/sanitizer.hpp"
#include "player.hpp"
#include "rounds.hpp"
#include "script.hpp"
#include "seed.hpp"

namespace routed_programs_test {

using pleat::cost_trace, pleat::label_count, pleat::task, pleat::vp;

constexpr pleat::evaluation_options routed{.routing = pleat::routing::ascend_descend};

/// The labels that the protocol makes of one i-superstep, from its description.
void append_protocol_labels(std::vector<unsigned>& labels, unsigned i, unsigned count) {
  const auto tally = [&](unsigned k) {
    for (unsigned up = count; up-- > k;) labels.push_back(up);
    for (unsigned down = k; down < count; ++down) labels.push_back(down);
  };
  tally(i);
  for (unsigned k = count; --k > i;) {
    tally(k);
    labels.push_back(k);
  }
  for (unsigned k = i; k < count; ++k) {
    tally(k);
    labels.push_back(k);
  }
}

/// Supersteps that the protocol makes of the program's; nothing if a VP ends after it has sent
/// while others go on.
std::optional<std::vector<unsigned>> protocol_labels(const model::script& program) {
  std::vector<unsigned> labels;
  bool sent = false;
  for (std::size_t s = 0;; ++s) {
    std::optional<unsigned> label;
    for (std::size_t rank = 0; rank < program.size(); ++rank) {
      if (s >= program[rank].size()) continue;
      const model::scripted_step& step = program[rank][s];
      if (step.label) {
        label = step.label;
        continue;
      }
      for (const model::scripted_send& m : step.sends)
        sent |= m.destination != rank && m.size != 0;  // an empty span counts as no message
    }
    if (!label) return labels;
    if (sent) return std::nullopt;
    append_protocol_labels(labels, *label, label_count(program.size()));
  }
}

class routed_programs : public testing::TestWithParam<model::script_options> {};

TEST_P(routed_programs, perform_the_labels_of_the_protocol) {
  const std::uint64_t first = seed();
  SCOPED_TRACE("seed " + std::to_string(first));
  std::mt19937_64 random(first);
  std::size_t ended_early = 0, counted = 0, refused = 0;
  int n = 0;
  for (rounds round(pleat::detail::sanitized ? 20 : 80); round.another(); ++n) {
    const std::size_t v = n % 8 == 0 ? std::size_t{1} << n / 16 % 6 : 1 + random() % 40;
    SCOPED_TRACE("v = " + std::to_string(v) + ", program " + std::to_string(n));
    const model::script program = model::random_script(v, random, GetParam());
    const model::program acts = model::acts_of(program);
    model::stage on(acts);
    const std::optional<std::vector<unsigned>> expected = protocol_labels(program);
    try {
      const cost_trace costs = pleat::evaluate(
          v, [&](vp& me) { return model::player::play(me, on); }, routed);
      ASSERT_TRUE(expected.has_value());
      std::vector<unsigned> labels;
      for (const auto& s : costs.supersteps()) labels.push_back(s.label);
      ASSERT_EQ(labels, *expected);
      ++counted;
    } catch (const pleat::usage_error& e) {
      ASSERT_FALSE(expected.has_value()) << e.what();
      ++refused;
    }
    for (const auto& steps : program) ended_early += steps.size() < program[0].size();
  }
  EXPECT_GT(counted, 0u);
  EXPECT_EQ(refused != 0, GetParam().early_ends);
  EXPECT_EQ(ended_early != 0, GetParam().early_ends);
}

INSTANTIATE_TEST_SUITE_P(
    ascend_descend, routed_programs,
    testing::Values(model::script_options{.inside_clusters = true, .same_labels = true},
                    model::script_options{
                        .inside_clusters = true, .leave_messages = true, .same_labels = true},
                    model::script_options{.inside_clusters = true,
                                          .early_ends = true,
                                          .leave_messages = true,
                                          .same_labels = true}),
    [](const auto& p) {
      return std::string(p.param.early_ends       ? "with_early_ends"
                         : p.param.leave_messages ? "with_late_receives"
                                                  : "complete");
    });

TEST(routed_superstep, goes_straight_to_its_destinations_where_a_vp_has_ended) {
  std::size_t received = 0;
  const cost_trace costs = pleat::evaluate(
      8,
      [&](vp& me) -> task<> {
        if (me.rank() == 5) co_return;
        for (int i = 0; me.rank() == 0 && i < 100; ++i) me.send(7, i);
        co_await me.sync(0);
        while (me.receive()) ++received;
      },
      routed);
  EXPECT_EQ(received, 100u);
  std::vector<unsigned> carried;  // labels of the supersteps in which somebody sends more than one
  for (const auto& s : costs.supersteps()) {
    if (s.h[3] > 1) carried.push_back(s.label);
    EXPECT_TRUE(s.h[3] <= 1 || s.h[3] == 100);
  }
  EXPECT_EQ(carried, std::vector<unsigned>{0});
}

}  // namespace routed_programs_test
