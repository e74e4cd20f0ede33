// SPDX-License-Identifier: Apache-2.0
// Random programs of messages, loans, channels, barriers and exceptions, right and broken ones,
// against an interpreter of the model's rules: exactly the right result, or the right error.
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "faults/watchdog.hpp"
#include "judged_run.hpp"
#include "over_ranks.hpp"
#include "random_program.hpp"
#include "random_rounds.hpp"
#include "worker_counts.hpp"

namespace random_programs_test {

class programs : public testing::TestWithParam<unsigned> {
 protected:
  void play_many(int usual, int most_breaks) {
    pleat::machine loose(model::over_ranks({.processors = GetParam(), .strict = false}));
    pleat::machine strict(model::over_ranks({.processors = GetParam(), .strict = true}));
    faults::watchdog dog;
    if (loose.oversubscribed()) usual = (usual + 2) / 3;
    random_rounds(usual, [&](dice& random) {
      dog.watch("random programs", ++round_);
      pleat::machine& machine = random(3) == 0 ? strict : loose;
      const std::size_t v = 1 + (random(20) == 0 ? random(200) : random(random(3) == 0 ? 40 : 9));
      model::program all = model::random_program(v, random, machine.strict());
      for (int breaks = 0; breaks < most_breaks; ++breaks) model::break_somewhere(all, random);
      model::judge(all, machine.strict(), machine.vps_here(v),
                   [&](auto program) { return machine.run(all.size(), program); });
      if (HasFailure() && v < 12) ADD_FAILURE() << model::to_text(all);
    });
  }

 private:
  std::size_t round_ = 0;
};

TEST_P(programs, give_what_the_model_says) { play_many(300, 0); }

TEST_P(programs, that_are_broken_once_give_what_the_model_says_or_the_right_error) {
  play_many(300, 1);
}

TEST_P(programs, that_are_broken_in_many_places_end_with_one_of_the_errors) { play_many(150, 5); }

INSTANTIATE_TEST_SUITE_P(on_workers, programs, model::worker_counts({1, 2, 3, 5, 8, 17}),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace random_programs_test
