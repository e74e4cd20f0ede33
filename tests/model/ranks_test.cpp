// SPDX-License-Identifier: Apache-2.0
// Random programs on machines over several ranks: results, counts and errors are those of the
// model, as on a machine of one process.
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "programs_over_ranks.hpp"

namespace ranks_test {

class ranks : public testing::TestWithParam<std::vector<unsigned>> {
 protected:
  void play_many(int usual, int most_breaks) {
    usual = 4 * usual / static_cast<int>(3 + GetParam().size());
    machines_over_ranks(GetParam()).play(usual, most_breaks, 9);
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
                         name_of_workers);

}  // namespace ranks_test
