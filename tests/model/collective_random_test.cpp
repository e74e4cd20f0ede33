// SPDX-License-Identifier: Apache-2.0
// Random programs of collective operations, mixed with messages and channels: the right result, or,
// where one rank does something else than the others, an error. Never a hang.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "collective_player.hpp"
#include "collective_script.hpp"
#include "faults/watchdog.hpp"
#include "rounds.hpp"
#include "seed.hpp"
#include "worker_counts.hpp"

namespace collective_random_test {

using namespace model;

std::size_t size_for(word seed) {
  if (seed % 50 == 49) return 257 + seed % 90;  // the tree of many ranks, small rings
  if (seed % 11 == 0) return 65 + seed % 30;
  return 1 + mix(seed) % 20;
}

constexpr int usual = pleat::detail::sanitized ? 25 : 120;

class collective_programs : public testing::TestWithParam<unsigned> {
 protected:
  pleat::machine loose_{{.processors = GetParam(), .strict = false}};
  pleat::machine strict_{{.processors = GetParam(), .strict = true}};
};

TEST_P(collective_programs, of_any_kind_give_what_plain_loops_give) {
  faults::watchdog dog;
  word from = seed();
  for (rounds round(usual); round.another(); ++from) {
    dog.watch("PLEAT_TEST_SEED", from);
    const std::size_t v = size_for(from);
    const script all = random_script(from, v, pleat::label_count(v), fault::none);
    verdict found;
    std::vector<word> none;
    pleat::machine& machine = from % 3 == 0 ? strict_ : loose_;
    try {
      machine.run(v, [&](vp& me) { return carry_out(all, me, found, none); });
      ASSERT_EQ(found.text(), "") << "seed " << from;
    } catch (const pleat::error& e) {
      FAIL() << "seed " << from << ": " << e.what();
    }
  }
}

TEST_P(collective_programs, in_which_one_rank_does_otherwise_end_with_an_error) {
  faults::watchdog dog;
  word from = seed();
  for (rounds round(usual); round.another(); ++from) {
    dog.watch("PLEAT_TEST_SEED", from);
    const std::size_t v = std::max<std::size_t>(2, size_for(from));
    const auto wrong = static_cast<fault>(1 + mix(from + 5) % 7);
    script all = random_script(from, v, pleat::label_count(v), wrong);
    // Strict mode alone looks at memory that others write.
    pleat::machine& machine = from % 3 == 0 || wrong == fault::shared_output ? strict_ : loose_;
    verdict ignored;
    std::vector<word> shared(wrong == fault::shared_output ? 10 * v * (all.steps[all.at].n + 1)
                                                           : 0);
    const std::string told = "seed " + std::to_string(from) + ", fault " +
                             std::to_string(static_cast<int>(wrong)) + " of VP " +
                             std::to_string(all.victim) + " in " + name_of(all.steps[all.at].what);
    try {
      machine.run(v, [&](vp& me) { return carry_out(all, me, ignored, shared); });
      ADD_FAILURE() << told << ": not found";
    } catch (const pleat::error& e) {
      const std::string what = e.what();
      bool named = false;
      for (std::size_t o = 0; o < ops; ++o)
        named |= what.find(name_of(static_cast<op>(o))) != what.npos;
      EXPECT_TRUE(named) << told << ": " << what;
      EXPECT_TRUE(wrong != fault::shared_output || what.find("overlap") != what.npos)
          << told << ": " << what;
    }
    all.wrong = fault::none;  // the machine is as good as before
    verdict found;
    try {
      machine.run(v, [&](vp& me) { return carry_out(all, me, found, shared); });
      ASSERT_EQ(found.text(), "") << told;
    } catch (const pleat::error& e) {
      FAIL() << told << ", mended: " << e.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(workers, collective_programs, model::worker_counts({1, 2, 3}));

}  // namespace collective_random_test
