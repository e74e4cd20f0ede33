// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/tree_broadcast.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "strict_machine.hpp"
#include "unit/message_of.hpp"

namespace tree_broadcast_test {

std::uint64_t total(std::span<const std::uint64_t> counts) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return sum;
}

std::string refusal(std::size_t v, const pleat::tree_broadcast_options& options) {
  pleat::machine on = strict_machine(1);
  std::vector<int> values(v, 1);
  return message_of<pleat::usage_error>([&] { pleat::tree_broadcast(on, values, options); });
}

TEST(broadcast, gives_every_vp_the_value_of_any_root) {
  for (const unsigned workers : {1u, 2u, 3u}) {
    pleat::machine on = strict_machine(workers);
    for (const std::size_t v : {1, 2, 3, 16, 37}) {
      for (std::size_t root = 0; root < v; ++root) {
        for (const std::size_t degree : {2, 4, 8, 64}) {
          std::vector<std::size_t> values(v);
          for (std::size_t i = 0; i < v; ++i) values[i] = 100 + i;
          pleat::tree_broadcast(on, values, {root, degree});
          ASSERT_EQ(values, std::vector<std::size_t>(v, 100 + root))
              << v << " VPs, degree " << degree << ", " << workers << " workers";
        }
      }
    }
  }
}

TEST(broadcast, takes_values_that_do_not_fit_a_slot_and_those_of_one_byte) {
  pleat::machine on = strict_machine(2);
  std::vector<std::array<double, 40>> large(37);
  large[5].fill(2.5);
  pleat::tree_broadcast(on, large, {5, 4});
  for (const auto& value : large) EXPECT_EQ(value, large[5]);
  EXPECT_EQ(large[0][39], 2.5);

  std::array<bool, 16> flags{};
  flags[15] = true;
  pleat::tree_broadcast(on, flags, {15, 2});
  EXPECT_TRUE(std::ranges::all_of(flags, [](bool b) { return b; }));

  std::vector<std::pair<int, float>> pairs(3, {1, 1.0F});
  pairs[1] = {7, 0.5F};
  pleat::tree_broadcast(on, pairs, {1, 2});
  EXPECT_EQ(pairs, (std::vector<std::pair<int, float>>(3, {7, 0.5F})));
}

TEST(broadcast, takes_a_superstep_for_each_level_of_the_tree) {
  pleat::machine on = strict_machine(1);
  for (const std::size_t degree : {2, 4, 8, 16, 32}) {
    for (unsigned log_v = 0; log_v <= 8; ++log_v) {
      const unsigned step = static_cast<unsigned>(std::log2(degree));
      std::vector<int> values(std::size_t{1} << log_v);
      const pleat::run_report report = pleat::tree_broadcast(on, values, {0, degree});
      EXPECT_EQ(total(report.supersteps), (log_v + step - 1) / step);
      for (unsigned label = 0; label < report.supersteps.size(); ++label)
        EXPECT_EQ(report.supersteps[label], label < log_v && label % step == 0 ? 1u : 0u);
      EXPECT_EQ(report.messages, values.size() - 1);  // each VP is told once
    }
  }
}

TEST(broadcast, is_a_step_of_programs_too) {
  pleat::machine on = strict_machine(2);
  std::vector<std::size_t> sums(37, 0);
  on.run(sums.size(), [&sums](pleat::vp& me) -> pleat::task<> {
    for (std::size_t root = 0; root < 5; ++root) {
      std::size_t value = me.rank() * me.rank();
      pleat::task<> step = pleat::tree_broadcast(me, value, {root, 4});
      co_await std::move(step);
      sums[me.rank()] += value;
    }
  });
  EXPECT_EQ(sums, std::vector<std::size_t>(37, 0 + 1 + 4 + 9 + 16));
}

TEST(broadcast, refuses_roots_and_degrees_there_are_not) {
  EXPECT_NE(refusal(4, {4, 2}).find("no VP 4"), std::string::npos);
  EXPECT_NE(refusal(0, {0, 2}).find("no VP 0"), std::string::npos);
  for (const std::size_t degree : {0, 1, 3, 6, 100})
    EXPECT_NE(refusal(4, {0, degree}).find("degree " + std::to_string(degree)), std::string::npos);
  EXPECT_EQ(refusal(4, {3, std::size_t{1} << 63}), "");
}

TEST(sigma_aware_degree, is_the_smallest_power_of_two_that_is_no_less) {
  const std::vector<std::pair<double, std::size_t>> degrees{{0, 2},
                                                            {1, 2},
                                                            {2, 2},
                                                            {2.001, 4},
                                                            {3, 4},
                                                            {4, 4},
                                                            {5, 8},
                                                            {16, 16},
                                                            {16.5, 32},
                                                            {1000, 1024},
                                                            {1e6, 1 << 20},
                                                            {0x1p62, std::size_t{1} << 62},
                                                            {0x1p63, std::size_t{1} << 63}};
  for (const auto& [sigma, degree] : degrees)
    EXPECT_EQ(pleat::sigma_aware_degree(sigma), degree) << sigma;
}

TEST(sigma_aware_degree, refuses_what_is_no_latency) {
  for (const double sigma : {-1.0, -1e-9, 1e19, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(static_cast<void>(pleat::sigma_aware_degree(sigma)), pleat::usage_error) << sigma;
}

struct word {  // a value, and a range of as many elements as it says
  std::size_t length = 0;
  char letters[8] = {};

  [[nodiscard]] const char* begin() const { return letters; }
  [[nodiscard]] const char* end() const { return letters + length; }
  friend bool operator==(const word&, const word&) = default;
};

TEST(broadcast, of_a_value_that_is_a_range_keeps_it_whole) {
  pleat::machine on = strict_machine(2);
  std::vector<word> values(13);
  values[5] = {3, "abcdefg"};
  pleat::tree_broadcast(on, values, {.root = 5});
  EXPECT_EQ(values, std::vector<word>(13, word{3, "abcdefg"}));
}

}  // namespace tree_broadcast_test
