// SPDX-License-Identifier: Apache-2.0
// Random programs of supersteps on the runtime, against the interpreter of the model's rules.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "over_ranks.hpp"
#include "player.hpp"
#include "prediction.hpp"
#include "rounds.hpp"
#include "script.hpp"
#include "seed.hpp"
#include "worker_counts.hpp"

namespace scripts_test {

using model::received;
using model::trace;

std::string first_difference(const trace& expected, const trace& got, pleat::rank_range here) {
  const auto show = [](const std::vector<received>& of_vp, std::size_t n) {
    if (n >= of_vp.size()) return std::string("nothing");
    const received& r = of_vp[n];
    return "seed " + std::to_string(r.seed) + ", " + std::to_string(r.size) + " bytes from VP " +
           std::to_string(r.source) + " in act " + std::to_string(r.step);
  };
  for (std::size_t rank = here.first; rank < here.last; ++rank) {
    for (std::size_t n = 0; n < std::max(expected[rank].size(), got[rank].size()); ++n) {
      if (show(expected[rank], n) != show(got[rank], n)) {
        return "VP " + std::to_string(rank) + ", message " + std::to_string(n) + ": expected " +
               show(expected[rank], n) + "; got " + show(got[rank], n);
      }
    }
  }
  return "";
}

class scripts : public testing::TestWithParam<unsigned> {
 protected:
  void play_many(const model::script_options& options, std::size_t most_vps, int times) {
    pleat::machine machine(
        model::over_ranks({.processors = GetParam(), .strict = options.inside_clusters}));
    if (pleat::detail::sanitized) times = (times + 3) / 4;
    if (machine.oversubscribed()) times = (times + 2) / 3;  // a barrier costs switches of threads
    const std::uint64_t first = seed() + GetParam();
    SCOPED_TRACE("seed " + std::to_string(first));
    std::mt19937_64 random(first);
    int n = 0;
    for (rounds round(times); round.another(); ++n) {
      const std::size_t v = 1 + random() % most_vps;
      SCOPED_TRACE("v = " + std::to_string(v) + ", script " + std::to_string(n));
      const model::program program = model::acts_of(model::random_script(v, random, options));
      model::stage on(program);
      const pleat::run_report report = machine.run(v, [&](pleat::vp& me) {
        const bool early = n % 4 == 0 && me.rank() % 3 != 0;  // sends before its task begins
        const std::size_t sent = early ? model::player::send_first(me, on) : 0;
        return model::player::play(me, on, sent);
      });
      const model::prediction expected = model::predict(program, options.inside_clusters);
      ASSERT_TRUE(expected.all_end());
      ASSERT_EQ("", first_difference(expected.given, on.given, machine.vps_here(v)));
      ASSERT_EQ(on.spoilt, 0) << "what was received did not stay as it was";
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
                         model::worker_counts({1, 2, 3, 4, 5, 7, 8, 13, 17, 64}),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace scripts_test
