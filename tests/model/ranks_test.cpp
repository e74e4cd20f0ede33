// SPDX-License-Identifier: Apache-2.0
// Random programs on machines over several ranks: results, counts and errors are those of the
// model, as on a machine of one process.
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "faults/watchdog.hpp"
#include "judged_run.hpp"
#include "random_program.hpp"
#include "random_rounds.hpp"
#include "rank_threads.hpp"

namespace ranks_test {

class ranks : public testing::TestWithParam<std::vector<unsigned>> {
 protected:
  void play_many(int usual, int most_breaks) {
    usual = 4 * usual / static_cast<int>(3 + GetParam().size());
    machine_of_ranks loose(GetParam(), {.strict = false});
    machine_of_ranks strict(GetParam(), {.strict = true});
    faults::watchdog dog;
    std::size_t round = 0;
    random_rounds(usual, [&](dice& random) {
      dog.watch("random programs over ranks", ++round);
      const bool checked = random(3) == 0;
      machine_of_ranks& machine = checked ? strict : loose;
      const std::size_t v = 1 + (random(20) == 0 ? random(200) : random(random(3) == 0 ? 40 : 9));
      model::program all = model::random_program(v, random, checked);
      for (int breaks = 0; breaks < most_breaks; ++breaks) model::break_somewhere(all, random);
      model::judge(all, checked, {0, v},
                   [&](auto program) { return same_on_all(machine.run(v, program)); });
      if (HasFailure() && v < 12) ADD_FAILURE() << model::to_text(all);
    });
  }
};

TEST_P(ranks, give_what_the_model_says) { play_many(50, 0); }
TEST_P(ranks, give_what_the_model_says_of_programs_broken_once) { play_many(50, 1); }
TEST_P(ranks, give_one_of_the_errors_of_programs_broken_in_many_places) { play_many(30, 5); }

INSTANTIATE_TEST_SUITE_P(of_workers, ranks,
                         testing::Values(std::vector<unsigned>{1}, std::vector<unsigned>{3},
                                         std::vector<unsigned>{1, 1}, std::vector<unsigned>{2, 1},
                                         std::vector<unsigned>{1, 1, 1},
                                         std::vector<unsigned>{2, 3, 1, 2},
                                         std::vector<unsigned>{6, 7}, std::vector<unsigned>(9, 1)),
                         [](const auto& p) {
                           std::string name;
                           for (const unsigned workers : p.param)
                             name += (name.empty() ? "" : "_") + std::to_string(workers);
                           return name;
                         });

}  // namespace ranks_test
