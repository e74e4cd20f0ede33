// SPDX-License-Identifier: Apache-2.0
// Random programs of messages, loans, channels, barriers and exceptions, right and broken ones,
// against an interpreter of the model's rules: exactly the right result, or the right error.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "failures.hpp"
#include "faults/watchdog.hpp"
#include "player.hpp"
#include "prediction.hpp"
#include "random_program.hpp"
#include "random_rounds.hpp"
#include "worker_counts.hpp"

namespace {

using model::act;
using model::ending;
using model::obstacle;
using model::received;
using pleat::vp;

std::string to_text(const std::vector<received>& all) {
  std::string text;
  for (const received& r : all) {
    text += " act " + std::to_string(r.step) + ": " + std::to_string(r.seed) + " (" +
            std::to_string(r.size) + " bytes) from VP " + std::to_string(r.source) + ";";
  }
  return text;
}

class programs : public testing::TestWithParam<std::tuple<unsigned, pleat::routing>> {
 protected:
  void play_many(int usual, int most_breaks) {
    const auto [workers, routing] = GetParam();
    pleat::machine loose({.processors = workers, .strict = false, .routing = routing});
    pleat::machine strict({.processors = workers, .strict = true, .routing = routing});
    faults::watchdog dog;
    if (loose.oversubscribed()) usual = (usual + 2) / 3;
    random_rounds(usual, [&](dice& random) {
      dog.watch("random programs", ++round_);
      pleat::machine& machine = random(3) == 0 ? strict : loose;
      const std::size_t v = 1 + (random(20) == 0 ? random(200) : random(random(3) == 0 ? 40 : 9));
      model::program all = model::random_program(v, random, machine.strict());
      for (int breaks = 0; breaks < most_breaks; ++breaks) model::break_somewhere(all, random);
      check(machine, all);
      if (HasFailure() && v < 12) ADD_FAILURE() << model::to_text(all);
    });
  }

 private:
  void check(pleat::machine& machine, const model::program& all) {
    const std::size_t v = all.size();
    SCOPED_TRACE("M(" + std::to_string(v) + (machine.strict() ? "), strict" : ")"));
    const model::prediction expected = model::predict(all, machine.strict());
    model::stage on(all);
    bool done = false;
    try {
      const pleat::run_report report = machine.run(v, [&](vp& me) {
        const auto& acts = all[me.rank()];
        const bool at_once = !acts.empty() && acts.front().what == act::kind::fail;
        if (at_once && !acts.front().caught) throw model::broken("before there is a task");
        return model::player::play(me, on);
      });
      done = true;
      EXPECT_TRUE(expected.all_end()) << "it should have failed";
      if (std::get<1>(GetParam()) == pleat::routing::direct) {
        EXPECT_EQ(report.messages, expected.counted.messages);
        EXPECT_EQ(report.bytes, expected.counted.bytes);
        EXPECT_EQ(report.supersteps, expected.counted.supersteps);
      }
    } catch (const pleat::vp_failed& e) {
      const obstacle why = expected.endings.at(e.rank).why;
      try {
        e.rethrow_cause();
      } catch (const model::broken&) {
        EXPECT_EQ(why, obstacle::exception) << e.what();
      } catch (const pleat::usage_error&) {
        EXPECT_EQ(why, obstacle::misuse) << e.what();
      }
    } catch (const pleat::out_of_cluster& e) {
      EXPECT_EQ(expected.endings.at(e.source).why, obstacle::out_of_cluster) << e.what();
    } catch (const pleat::label_mismatch& e) {
      EXPECT_TRUE(!expected.somebody_fails() && expected.labels_differ()) << e.what();
      EXPECT_EQ(expected.endings.at(e.rank), (ending{obstacle::barrier, e.label}));
      EXPECT_EQ(expected.endings.at(e.other_rank), (ending{obstacle::barrier, e.other_label}));
    } catch (const pleat::deadlock& e) {
      EXPECT_TRUE(!expected.all_end() && !expected.somebody_fails() && !expected.labels_differ())
          << e.what();
    }
    EXPECT_EQ(on.spoilt, 0) << "what was received did not stay as it was";
    EXPECT_EQ(on.alive, 0) << "locals that nobody destroyed";
    for (std::size_t rank = 0; rank < v; ++rank) {
      // After a failure nobody need have come as far as it could.
      auto wanted = expected.given[rank];
      const auto& got = on.given[rank];
      if (!done && got.size() < wanted.size()) wanted.resize(got.size());
      EXPECT_EQ(wanted, got) << "VP " << rank << "\n" << to_text(wanted) << "\n" << to_text(got);
    }
  }

  std::size_t round_ = 0;
};

TEST_P(programs, give_what_the_model_says) { play_many(300, 0); }

TEST_P(programs, that_are_broken_once_give_what_the_model_says_or_the_right_error) {
  play_many(300, 1);
}

TEST_P(programs, that_are_broken_in_many_places_end_with_one_of_the_errors) { play_many(150, 5); }

INSTANTIATE_TEST_SUITE_P(on_workers, programs,
                         testing::Combine(model::worker_counts({1, 2, 3, 5, 8, 17}),
                                          testing::Values(pleat::routing::direct)),
                         [](const auto& p) { return std::to_string(std::get<0>(p.param)); });

INSTANTIATE_TEST_SUITE_P(routed_by_ascend_descend, programs,
                         testing::Combine(testing::Values(1u, 2u, 3u),
                                          testing::Values(pleat::routing::ascend_descend)),
                         [](const auto& p) { return std::to_string(std::get<0>(p.param)); });

}  // namespace
