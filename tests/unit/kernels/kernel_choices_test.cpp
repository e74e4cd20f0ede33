// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/stencil/loops.hpp>
#include <pleat/oblivious/kernels.hpp>

#include "kernels/choice.hpp"

namespace kernel_choices_test {

using namespace pleat::detail::kernels;
using pleat::kernel_choice, pleat::kernel_reason;

int tries_of_quick = 0;
int tries_of_slow = 0;

/// Kernel of which one of several tries is fast: an interruption makes the others slow.
double quick() { return ++tries_of_quick == 3 ? 1.0 : 100.0; }
double slow() {
  ++tries_of_slow;
  return 2.0;
}

constexpr std::array<candidate, 2> both{{{"slow", slow}, {"quick", quick}}};
constexpr std::array<candidate, 1> one{{{"slow", slow}}};

TEST(kernel_choices, are_made_by_the_least_of_several_tries_in_turns) {
  static constinit choice work("some-work", both);
  EXPECT_EQ(work.taken(), 1U);
  EXPECT_EQ(tries_of_quick, tries_of_slow);
  const kernel_choice said = work.described();
  EXPECT_EQ(said.work, "some-work");
  EXPECT_EQ(said.chosen, 1U);
  EXPECT_EQ(said.why, kernel_reason::measured);
  ASSERT_EQ(said.candidates.size(), 2U);
  EXPECT_EQ(said.candidates[0].name, "slow");
  EXPECT_EQ(said.candidates[0].ns, 2.0);
  EXPECT_EQ(said.candidates[1].ns, 1.0);
}

TEST(kernel_choices, are_made_once_however_many_threads_ask) {
  tries_of_quick = 0;
  static constinit choice work("some-work", both);
  std::vector<std::size_t> taken(4);
  std::vector<std::thread> threads;
  for (std::size_t& t : taken) threads.emplace_back([&] { t = work.taken(); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(taken, std::vector<std::size_t>(4, 1));
  const int tries = tries_of_quick;
  EXPECT_EQ(work.taken(), 1U);
  EXPECT_EQ(tries_of_quick, tries);
}

TEST(kernel_choices, of_a_single_kernel_are_not_measured) {
  tries_of_slow = 0;
  static constinit choice work("some-work", one);
  EXPECT_EQ(work.taken(), 0U);
  EXPECT_EQ(work.described().why, kernel_reason::only_one);
  EXPECT_EQ(work.described().candidates[0].ns, std::nullopt);
  EXPECT_EQ(tries_of_slow, 0);
}

TEST(kernel_choices, of_the_library_have_a_kernel_each_and_say_why) {
  const auto all = pleat::kernel_choices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].work, "vectors");
  EXPECT_EQ(all[0].chosen, 0U);
  EXPECT_NE(all[0].why, kernel_reason::measured);
#ifndef PLEAT_STENCILS_WITHOUT_baseline  // a build for one instruction set
  EXPECT_EQ(all[0].candidates.back().name, "baseline");
#endif
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[1].work, "stencil");
  EXPECT_EQ(all[1].candidates.size(), pleat::detail::stencils::all_instructions().size());
#ifndef PLEAT_STENCILS_WITHOUT_baseline
  EXPECT_EQ(all[1].candidates.back().name, "baseline");
#endif
  std::set<std::string> works;
  for (const kernel_choice& c : all) {
    EXPECT_TRUE(works.insert(c.work).second) << c.work;
    ASSERT_LT(c.chosen, c.candidates.size());
    if (c.why != kernel_reason::measured) continue;
    for (const auto& one_of : c.candidates) {
      ASSERT_TRUE(one_of.ns);
      EXPECT_GE(*one_of.ns, *c.candidates[c.chosen].ns);
    }
  }
  EXPECT_TRUE(works.contains("sort-u32") && works.contains("sort-u64"));
}

TEST(kernel_choices, reasons_have_names) {
  EXPECT_EQ(to_string(kernel_reason::measured), "measured");
  EXPECT_EQ(to_string(kernel_reason::known), "known");
  EXPECT_EQ(to_string(kernel_reason::forced), "forced");
  EXPECT_EQ(to_string(kernel_reason::only_one), "only one");
}

}  // namespace kernel_choices_test
