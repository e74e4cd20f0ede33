// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/probe.hpp>

namespace probe_test {

using pleat::level_costs, pleat::machine;

/// Tests take what they take on a loaded machine.
constexpr double much = 1000;

class probes : public testing::TestWithParam<unsigned> {};

TEST_P(probes, measure_every_level_with_two_processors_or_more) {
  const unsigned p = GetParam();
  const pleat::machine_options options{.processors = p, .strict = true};
  const std::vector<level_costs> levels =
      pleat::probe(options, {.machines = 5, .rounds = 1, .seed = 3, .most_seconds = much});
  const machine on(options);
  ASSERT_EQ(levels.size(), pleat::label_count(p));
  for (const level_costs& level : levels) {
    EXPECT_EQ(level.processors, pleat::cluster_of(p, 0, level.label).size());
    EXPECT_EQ(level.object, on.clusters().cluster_of(level.label, 0).object);
    EXPECT_GE(level.g.value, 0);
    EXPECT_GE(level.l.value, 0);
    EXPECT_GT(level.g.high + level.l.high, 0);
    ASSERT_EQ(level.points.front().bytes, 0u);
    ASSERT_EQ(level.points.back().bytes, 1u << 20);
    for (const pleat::probe_point& point : level.points) {
      EXPECT_EQ(point.samples.size(), 5u);
      EXPECT_GT(point.median, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(of_machines, probes, testing::Values(2u, 3u),
                         [](const auto& p) { return std::to_string(p.param); });

// More processors than this process may use: few samples, but of every size of every level, and as
// many on each machine.
TEST(probe, of_processors_that_share_pus_measures_every_size) {
  const unsigned p = 2 * machine().processors() + 1;
  std::size_t calls = 0, last = 0, most = 0;
  const auto progress = [&](std::size_t done, std::size_t planned) {
    ++calls;
    EXPECT_GT(done, last);
    last = done;
    most = std::max(most, planned);
  };
  const auto levels =
      pleat::probe({.processors = p}, {.rounds = 3, .most_seconds = much, .progress = progress});
  ASSERT_EQ(levels.size(), pleat::label_count(p));
  const std::size_t samples = levels.front().points.front().samples.size();
  EXPECT_GE(samples, 5u);
  EXPECT_LE(samples, calls);
  EXPECT_LE(calls, most);
  EXPECT_LE(most, 30u);
  for (const level_costs& level : levels) {
    for (const pleat::probe_point& point : level.points) EXPECT_EQ(point.samples.size(), samples);
  }
}

// Probes that are held up take fewer rounds of those that are left.
TEST(probe, that_is_held_up_never_takes_back_what_it_has_done) {
  std::size_t calls = 0;
  const auto progress = [&](std::size_t done, std::size_t planned) {
    EXPECT_EQ(done, ++calls);
    EXPECT_LE(done, planned);
    if (calls == 4) std::this_thread::sleep_for(std::chrono::seconds(2));
  };
  static_cast<void>(
      pleat::probe({.processors = 2}, {.rounds = 3, .most_seconds = much, .progress = progress}));
  EXPECT_GE(calls, 5u);
}

TEST(measured_model, has_the_values_of_every_level) {
  const std::vector<level_costs> levels{{0, "machine", 4, {3, 2, 4}, {9, 8, 10}, {}},
                                        {1, "L3", 2, {1, 1, 1}, {5, 4, 6}, {}}};
  const pleat::machine_model model = pleat::measured_model(levels);
  EXPECT_EQ(model.g, (std::vector<double>{3, 1}));
  EXPECT_EQ(model.l, (std::vector<double>{9, 5}));
  EXPECT_THROW((void)pleat::measured_model({}), pleat::usage_error);
}

TEST(probe, is_refused_where_there_is_nothing_to_measure) {
  EXPECT_THROW((void)pleat::probe({.processors = 1}), pleat::usage_error);
  EXPECT_THROW((void)pleat::probe({.processors = 2}, {.machines = 4}), pleat::usage_error);
  EXPECT_THROW((void)pleat::probe({.processors = 2}, {.rounds = 0}), pleat::usage_error);
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW((void)pleat::probe({.processors = 2}, {.most_seconds = seconds}),
                 pleat::usage_error);
  }
}

TEST(probe, without_time_for_a_round_of_five_machines_fails) {
  EXPECT_THROW((void)pleat::probe({.processors = 2}, {.most_seconds = 1e-9}),
               pleat::environment_error);
}

}  // namespace probe_test
