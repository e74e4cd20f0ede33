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
#include "payload.hpp"
#include "random_program.hpp"
#include "random_rounds.hpp"

namespace {

using model::act;
using model::ending;
using model::obstacle;
using model::received;
using pleat::task;
using pleat::vp;

using wide = std::array<std::uint64_t, 6>;  // as much as a channel carries

/// What the VPs of a run share: what they are given, and what they lend.
struct stage {
  explicit stage(const model::program& program)
      : all(program), given(program.size()), lent(program.size()) {}

  const model::program& all;
  model::trace given;
  std::vector<std::deque<std::vector<std::byte>>> lent;
  std::atomic<long> alive{0};
  std::atomic<int> spoilt{0};
};

/// A VP between its acts.
struct player {
  vp& me;
  stage& on;
  std::size_t at = 0;
  std::vector<std::span<const std::byte>> readable = {};  // received since the last sync

  void take(const pleat::message& m) {
    const auto bytes = m.lent() ? std::span<const std::byte>(m.view<const std::byte>().row(0))
                                : m.span<std::byte>();
    readable.push_back(bytes);
    on.given[me.rank()].push_back({at, m.source(), bytes.size(), model::seen_of(bytes)});
  }
  /// What was received stays as it is until the next sync.
  void look_again() {
    for (const auto& bytes : readable) on.spoilt += !model::intact(bytes);
  }
  /// Narrow and wide values travel in channels of their own.
  bool narrow(const act& a) const { return (me.rank() + a.peer) % 3 != 0; }
};

void speak(player& self, const act& a) {
  auto bytes = model::payload_of(a.seed, a.count);
  if (a.what == act::kind::lend) {
    auto& kept = self.on.lent[self.me.rank()].emplace_back(std::move(bytes));
    self.me.lend(a.peer, std::span<const std::byte>(kept));
  } else if (a.count == sizeof a.seed) {
    self.me.send(a.peer, a.seed);
  } else {
    self.me.send(a.peer, bytes);
  }
}

void listen(player& self, const act& a) {
  for (std::size_t n = 0; n < a.count; ++n) {
    const auto m = self.me.receive();
    if (!m) break;
    self.take(*m);
  }
}

task<> push(player& self, const act& a) {
  for (std::size_t n = 0; n < a.count; ++n) {
    if (self.narrow(a))
      co_await self.me.push(a.peer, a.seed + n);
    else
      co_await self.me.push(a.peer, wide{a.seed + n, 1, 2, 3, 4, a.seed + n});
  }
}

task<> pop(player& self, const act& a) {
  for (std::size_t n = 0; n < a.count; ++n) {
    std::uint64_t value = 0;
    if (self.narrow(a)) {
      value = co_await self.me.pop<std::uint64_t>(a.peer);
    } else {
      const wide w = co_await self.me.pop<wide>(a.peer);
      value = w[0];
      self.on.spoilt += w[5] != value;
    }
    self.on.given[self.me.rank()].push_back({self.at, a.peer, sizeof value, value});
  }
}

task<> carry_out(player& self, const act& a) {
  const model::local here(self.on.alive);
  switch (a.what) {
    case act::kind::send:
    case act::kind::lend:
      speak(self, a);
      break;
    case act::kind::receive:
      listen(self, a);
      break;
    case act::kind::push:
      co_await push(self, a);
      break;
    case act::kind::pop:
      co_await pop(self, a);
      break;
    case act::kind::sync:
      co_await self.me.sync(a.label);
      break;
    case act::kind::fail:
      throw model::broken("as written");
  }
}

task<> caught(player& self, const act& a) {
  try {
    co_await carry_out(self, a);
  } catch (const model::broken&) {
  } catch (const pleat::usage_error&) {
  }
}

task<> play(vp& me, stage& on) {
  const model::local here(on.alive);
  player self{me, on};
  for (const act& a : on.all[me.rank()]) {
    if (a.what == act::kind::sync) self.look_again();
    if (a.caught)
      co_await caught(self, a);
    else if (a.what == act::kind::sync && !a.in_a_task)
      co_await me.sync(a.label);
    else
      co_await carry_out(self, a);
    if (a.what == act::kind::sync && a.label < me.labels()) self.readable.clear();
    ++self.at;
  }
  self.look_again();
}

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
    stage on(all);
    bool done = false;
    try {
      const pleat::run_report report = machine.run(v, [&](vp& me) {
        const auto& acts = all[me.rank()];
        const bool at_once = !acts.empty() && acts.front().what == act::kind::fail;
        if (at_once && !acts.front().caught) throw model::broken("before there is a task");
        return play(me, on);
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
                         testing::Combine(testing::Values(1u, 2u, 3u, 5u, 8u, 17u),
                                          testing::Values(pleat::routing::direct)),
                         [](const auto& p) { return std::to_string(std::get<0>(p.param)); });

INSTANTIATE_TEST_SUITE_P(routed_by_ascend_descend, programs,
                         testing::Combine(testing::Values(1u, 2u, 3u),
                                          testing::Values(pleat::routing::ascend_descend)),
                         [](const auto& p) { return std::to_string(std::get<0>(p.param)); });

}  // namespace
