// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "faults/watchdog.hpp"
#include "judged_run.hpp"
#include "random_program.hpp"
#include "random_rounds.hpp"
#include "rank_threads.hpp"

/// Machines over the same ranks, of which one checks its programs strictly.
class machines_over_ranks {
 public:
  explicit machines_over_ranks(const std::vector<unsigned>& workers)
      : loose_(workers, {.strict = false}), strict_(workers, {.strict = true}) {}

  template <class Do> void for_both(const Do& act) {
    act(loose_);
    act(strict_);
  }
  /// Judges random programs, mostly of `small` VPs or fewer, which are broken in some places.
  void play(int usual, int breaks, unsigned small) {
    faults::watchdog dog;
    std::size_t round = 0;
    random_rounds(usual, [&](dice& random) {
      dog.watch("random programs over ranks", ++round);
      const bool checked = random(3) == 0;
      machine_of_ranks& machine = checked ? strict_ : loose_;
      const std::size_t v =
          1 + (random(20) == 0 ? random(200) : random(random(3) == 0 ? 40 : small));
      model::program all = model::random_program(v, random, checked);
      for (int i = 0; i < breaks; ++i) model::break_somewhere(all, random);
      model::judge(all, checked, {0, v},
                   [&](auto program) { return same_on_all(machine.run(v, program)); });
      if (testing::Test::HasFailure() && v < 12) ADD_FAILURE() << model::to_text(all);
    });
  }

 private:
  machine_of_ranks loose_, strict_;
};
