// SPDX-License-Identifier: Apache-2.0
// Random programs on the runtime against a plain interpreter of the model's rules.
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/sanitizer.hpp>
#include <pleat/runtime/machine.hpp>

#include "payload.hpp"
#include "rounds.hpp"
#include "script.hpp"
#include "seed.hpp"

namespace {

using model::received;
using model::script;
using model::trace;

void send_all(pleat::vp& me, const model::scripted_step& s) {
  for (const model::scripted_send& m : s.sends) {
    const auto bytes = model::payload_of(m.seed, m.size);
    if (m.size == sizeof m.seed)
      me.send(m.destination, m.seed);
    else
      me.send(m.destination, std::span<const std::byte>(bytes));
  }
}

/// `early`: the first messages were sent before the task began.
pleat::task<> play(pleat::vp& me, const script& program, bool early, trace& result) {
  const auto& steps = program[me.rank()];
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const model::scripted_step& s = steps[at];
    for (std::size_t n = 0; n < s.takes; ++n) {
      const auto m = me.receive();
      if (!m) break;
      const auto bytes = m->span<std::byte>();
      EXPECT_TRUE(model::intact(bytes));
      result[me.rank()].push_back({at, m->source(), bytes.size(), model::seen_of(bytes)});
    }
    if (!early || at != 0) send_all(me, s);
    if (s.label) co_await me.sync(*s.label);
  }
}

/// The interpreter knows whole seeds; a message too short to carry one shows a part of it.
trace as_seen(trace t) {
  for (auto& of_vp : t) {
    for (received& r : of_vp) r.seed = model::seen_of(r.seed, r.size);
  }
  return t;
}

std::string first_difference(const trace& expected, const trace& got) {
  const auto show = [](const std::vector<received>& of_vp, std::size_t n) {
    if (n >= of_vp.size()) return std::string("nothing");
    const received& r = of_vp[n];
    return "seed " + std::to_string(r.seed) + ", " + std::to_string(r.size) + " bytes from VP " +
           std::to_string(r.source) + " in step " + std::to_string(r.step);
  };
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    for (std::size_t n = 0; n < std::max(expected[rank].size(), got[rank].size()); ++n) {
      if (show(expected[rank], n) != show(got[rank], n)) {
        return "VP " + std::to_string(rank) + ", message " + std::to_string(n) + ": expected " +
               show(expected[rank], n) + "; got " + show(got[rank], n);
      }
    }
  }
  return "";
}

class scripts : public testing::TestWithParam<std::tuple<unsigned, pleat::routing>> {
 protected:
  void play_many(const model::script_options& options, std::size_t most_vps, int times) {
    const auto [workers, routing] = GetParam();
    pleat::machine machine(
        {.processors = workers, .strict = options.inside_clusters, .routing = routing});
    if (routing != pleat::routing::direct) times /= 5;  // one superstep becomes dozens
    if (pleat::detail::sanitized) times = (times + 3) / 4;
    if (machine.oversubscribed()) times = (times + 2) / 3;  // a barrier costs switches of threads
    const std::uint64_t first = seed() + workers;
    SCOPED_TRACE("seed " + std::to_string(first));
    std::mt19937_64 random(first);
    int n = 0;
    for (rounds round(times); round.another(); ++n) {
      const std::size_t v = 1 + random() % most_vps;
      SCOPED_TRACE("v = " + std::to_string(v) + ", script " + std::to_string(n));
      const script program = model::random_script(v, random, options);
      trace result(v);
      const auto early = [&](const pleat::vp& me) { return n % 4 == 0 && me.rank() % 3 != 0; };
      const pleat::run_report report = machine.run(v, [&](pleat::vp& me) {
        const auto& steps = program[me.rank()];
        if (early(me) && !steps.empty()) send_all(me, steps.front());
        return play(me, program, early(me), result);
      });
      const model::outcome expected = model::interpret(program);
      ASSERT_EQ("", first_difference(as_seen(expected.received), result));
      if (routing != pleat::routing::direct) continue;  // the protocol's own supersteps count
      ASSERT_EQ(report.messages, expected.counted.messages);
      ASSERT_EQ(report.bytes, expected.counted.bytes);
      ASSERT_EQ(report.supersteps, expected.counted.supersteps);
    }
  }
};

TEST_P(scripts, deliver_what_the_model_says) { play_many({.inside_clusters = true}, 40, 150); }

TEST_P(scripts, keep_messages_pending_until_a_barrier_joins_the_two) { play_many({}, 40, 150); }

TEST_P(scripts, go_on_when_virtual_processors_end_early) {
  play_many({.early_ends = true}, 40, 150);
}

TEST_P(scripts, deliver_what_ended_virtual_processors_sent_last) {
  play_many({.inside_clusters = true, .early_ends = true, .leave_messages = true}, 12, 400);
}

TEST_P(scripts, keep_messages_that_nobody_receives) {
  play_many({.leave_messages = true}, 40, 150);
}

TEST_P(scripts, do_all_of_it_at_once) {
  play_many({.early_ends = true, .leave_messages = true}, 300, 30);
}

INSTANTIATE_TEST_SUITE_P(on_workers, scripts,
                         testing::Combine(testing::Values(1u, 2u, 3u, 4u, 5u, 7u, 8u, 13u, 17u,
                                                          64u),
                                          testing::Values(pleat::routing::direct)),
                         [](const auto& p) { return std::to_string(std::get<0>(p.param)); });

INSTANTIATE_TEST_SUITE_P(routed_by_ascend_descend, scripts,
                         testing::Combine(testing::Values(1u, 2u, 3u, 7u),
                                          testing::Values(pleat::routing::ascend_descend)),
                         [](const auto& p) { return std::to_string(std::get<0>(p.param)); });

}  // namespace
