// SPDX-License-Identifier: Apache-2.0
// Random programs of collective operations, mixed with messages and channels, on machines of one
// process and over several ranks: the right result, or, where one rank does something else than the
// others, an error on all of them. Never a hang.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "collective_player.hpp"
#include "collective_script.hpp"
#include "faults/watchdog.hpp"
#include "rank_threads.hpp"
#include "rounds.hpp"
#include "seed.hpp"
#include "unit/message_of.hpp"
#include "worker_counts.hpp"

namespace collective_random_test {

using namespace model;

constexpr pleat::detail::process_message_cost near_is_cheap{1e-6, 1e-9, 1e-7};

/// Machine of one process, or one over several ranks, with so many workers each.
class team {
 public:
  team(const std::vector<unsigned>& workers, bool strict) {
    if (workers.size() == 1)
      alone_.emplace(pleat::machine_options{.processors = workers[0], .strict = strict});
    else
      ranks_.emplace(workers, pleat::machine_options{.strict = strict}, &near_is_cheap);
  }
  /// Words of what a run throws; none if it succeeds.
  template <class Program> std::string words(std::size_t v, const Program& program) {
    if (ranks_) return words_of(ranks_->run(v, program));
    return message_of([&] { alone_->run(v, program); });
  }

 private:
  std::optional<pleat::machine> alone_;
  std::optional<machine_of_ranks> ranks_;
};

class collective_programs : public testing::TestWithParam<std::vector<unsigned>> {
 protected:
  [[nodiscard]] static bool alone() { return GetParam().size() == 1; }
  [[nodiscard]] static rounds some_rounds() {
    if (alone()) return rounds(pleat::detail::sanitized ? 25 : 120);
    return rounds((pleat::detail::sanitized ? 40 : 200) / static_cast<int>(3 + GetParam().size()));
  }
  [[nodiscard]] static std::size_t size_for(word seed) {
    if (alone() && seed % 50 == 49) return 257 + seed % 90;  // the tree of many ranks
    if (seed % 11 == 0) return 65 + seed % 30;               // small rings
    return 1 + mix(seed) % 20;
  }
  team loose_{GetParam(), false}, strict_{GetParam(), true};
  faults::watchdog dog_;
};

TEST_P(collective_programs, of_any_kind_give_what_plain_loops_give) {
  word from = seed();
  for (rounds round = some_rounds(); round.another(); ++from) {
    dog_.watch("PLEAT_TEST_SEED", from);
    const std::size_t v = size_for(from);
    const script all = random_script(from, v, pleat::label_count(v), fault::none);
    verdict found;
    std::vector<word> none;
    team& machine = from % 3 == 0 ? strict_ : loose_;
    ASSERT_EQ(machine.words(v, [&](vp& me) { return carry_out(all, me, found, none); }), "")
        << "seed " << from;
    ASSERT_EQ(found.text(), "") << "seed " << from;
  }
}

TEST_P(collective_programs, in_which_one_rank_does_otherwise_end_with_an_error) {
  word from = seed();
  for (rounds round = some_rounds(); round.another(); ++from) {
    dog_.watch("PLEAT_TEST_SEED", from);
    const std::size_t v = std::max<std::size_t>(2, size_for(from));
    const auto wrong = static_cast<fault>(1 + mix(from + 5) % (alone() ? 7 : 6));
    script all = random_script(from, v, pleat::label_count(v), wrong);
    // Strict mode alone looks at memory that others write, which is shared in one process only.
    team& machine = from % 3 == 0 || wrong == fault::shared_output ? strict_ : loose_;
    verdict ignored;
    std::vector<word> shared(wrong == fault::shared_output ? 10 * v * (all.steps[all.at].n + 1)
                                                           : 0);
    const std::string told = "seed " + std::to_string(from) + ", fault " +
                             std::to_string(static_cast<int>(wrong)) + " of VP " +
                             std::to_string(all.victim) + " in " + name_of(all.steps[all.at].what);
    const std::string words =
        machine.words(v, [&](vp& me) { return carry_out(all, me, ignored, shared); });
    EXPECT_TRUE(names_an_operation(words)) << told << ": " << words;
    EXPECT_TRUE(wrong != fault::shared_output || words.find("overlap") != words.npos)
        << told << ": " << words;
    all.wrong = fault::none;  // the machine is as good as before
    verdict found;
    ASSERT_EQ(machine.words(v, [&](vp& me) { return carry_out(all, me, found, shared); }), "")
        << told << ", mended";
    ASSERT_EQ(found.text(), "") << told;
  }
}

std::vector<std::vector<unsigned>> teams() {
  std::vector<std::vector<unsigned>> all{{1, 1}, {2, 1}, {1, 1, 1}, {2, 3, 1, 2}};
  all.emplace_back(9, 1);
  for (const unsigned workers : tried_workers({1, 2, 3})) all.push_back({workers});
  return all;
}

INSTANTIATE_TEST_SUITE_P(workers, collective_programs, testing::ValuesIn(teams()), name_of_workers);

}  // namespace collective_random_test
