// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "failures.hpp"
#include "player.hpp"
#include "prediction.hpp"
#include "program.hpp"

namespace model {

inline std::string to_text(const std::vector<received>& all) {
  std::string text;
  for (const received& r : all) {
    text += " act " + std::to_string(r.step) + ": " + std::to_string(r.seed) + " (" +
            std::to_string(r.size) + " bytes) from VP " + std::to_string(r.source) + ";";
  }
  return text;
}

/// The program, for a machine to run.
inline auto played(const program& all, stage& on) {
  return [&](pleat::vp& me) {
    const auto& acts = all[me.rank()];
    const bool at_once = !acts.empty() && acts.front().what == act::kind::fail;
    if (at_once && !acts.front().caught) throw broken("before there is a task");
    return player::play(me, on);
  };
}

/// `run(program)` carries it out on some machine and returns its report: it must give exactly the
/// right result, with the right numbers of supersteps and messages, or the right error. `here`: the
/// VPs that this process carries out, whose results it knows.
template <class Run> void judge(const program& all, bool strict, pleat::rank_range here, Run run) {
  const std::size_t v = all.size();
  SCOPED_TRACE("M(" + std::to_string(v) + (strict ? "), strict" : ")"));
  const prediction expected = predict(all, strict);
  stage on(all);
  bool done = false;
  try {
    const pleat::run_report report = run(played(all, on));
    done = true;
    EXPECT_TRUE(expected.all_end()) << "it should have failed";
    EXPECT_EQ(report.messages, expected.counted.messages);
    EXPECT_EQ(report.bytes, expected.counted.bytes);
    EXPECT_EQ(report.supersteps, expected.counted.supersteps);
  } catch (const pleat::vp_failed& e) {
    const obstacle why = expected.endings.at(e.rank).why;
    try {
      e.rethrow_cause();
    } catch (const pleat::usage_error&) {
      EXPECT_EQ(why, obstacle::misuse) << e.what();
    } catch (const std::runtime_error&) {  // broken; another rank throws its words
      EXPECT_EQ(why, obstacle::exception) << e.what();
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
  for (std::size_t rank = here.first; rank < here.last; ++rank) {
    // After a failure nobody need have come as far as it could.
    auto wanted = expected.given[rank];
    const auto& got = on.given[rank];
    if (!done && got.size() < wanted.size()) wanted.resize(got.size());
    EXPECT_EQ(wanted, got) << "VP " << rank << "\n" << to_text(wanted) << "\n" << to_text(got);
  }
}

}  // namespace model
