// SPDX-License-Identifier: Apache-2.0
#include "threads/termination_detector.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace termination_detector_test {

using pleat::detail::termination_detector;

TEST(termination_detector, asks_to_wake_sleepers_only_when_nobody_works) {
  termination_detector q;
  (void)q.start(2);
  (void)q.enter();
  EXPECT_FALSE(q.stir()) << "the one that works will wake them when it goes idle";
  EXPECT_TRUE(q.enter());
  EXPECT_TRUE(q.stir());
}

TEST(termination_detector, starts_afresh_in_the_next_run) {
  termination_detector q;
  for (const std::size_t workers : {1u, 4u, 2u}) {
    (void)q.start(workers);
    for (std::size_t w = 0; w + 1 < workers; ++w) EXPECT_FALSE(q.enter());
    EXPECT_TRUE(q.enter());
    const std::uint64_t g = q.generation();
    for (std::size_t w = 0; w + 1 < workers; ++w) EXPECT_FALSE(q.confirm(w, g));
    EXPECT_TRUE(q.confirm(workers - 1, g));
  }
}

// A worker as the runtime has them, one atomic step at a time. It works (perhaps waking another by
// setting what that one waits for), then goes idle: reads the generation, looks, confirms.
struct worker {
  enum { working, reading, looking, confirming, finished } at = working;
  std::uint64_t generation = 0;
  int work_left = 0;
};

struct model {
  termination_detector q;
  std::uint64_t run = 0;
  std::vector<worker> workers;
  std::vector<bool> wanted;  // what worker w waits for holds

  bool anything_to_come() const {
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (workers[w].at == worker::working) return true;
      if (workers[w].at != worker::finished && wanted[w]) return true;
    }
    return false;
  }

  // Returns true if the worker says that nobody will ever go on.
  bool step(std::size_t w, std::mt19937_64& random) {
    worker& me = workers[w];
    switch (me.at) {
      case worker::working:
        if (me.work_left-- > 0) {
          wanted[random() % workers.size()] = true;
        } else if (random() % 4 == 0) {
          (void)q.retire(w, run);
          me.at = worker::finished;
        } else {
          (void)q.enter();
          me.at = worker::reading;
        }
        return false;
      case worker::reading:
        me.generation = q.generation();
        me.at = worker::looking;
        return false;
      case worker::looking:
        if (wanted[w]) {
          q.leave();
          wanted[w] = false;
          me.work_left = static_cast<int>(random() % 3);
          me.at = worker::working;
        } else {
          me.at = worker::confirming;
        }
        return false;
      case worker::confirming:
        me.at = worker::reading;
        return q.confirm(w, me.generation);
      case worker::finished:
        break;
    }
    return false;
  }
};

TEST(termination_detector, is_true_whenever_it_is_claimed_and_claimed_whenever_it_is_true) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    std::mt19937_64 random(seed);
    model m;
    const std::size_t n = 1 + random() % 5;
    m.workers.resize(n);
    m.wanted.assign(n, false);
    for (worker& w : m.workers) w.work_left = static_cast<int>(random() % 4);
    m.run = m.q.start(n);
    bool claimed = false;
    for (int step = 0; step < 400 && !claimed; ++step) {
      claimed = m.step(random() % n, random);
      ASSERT_FALSE(claimed && m.anything_to_come()) << "seed " << seed;
    }
    // Fair turns: all work ends one day, and then somebody must notice.
    for (worker& w : m.workers) w.work_left = 0;
    for (int round = 0; round < 1000 && !claimed; ++round) {
      for (std::size_t w = 0; w < n && !claimed; ++w) {
        claimed = m.step(w, random);
        ASSERT_FALSE(claimed && m.anything_to_come()) << "seed " << seed;
        m.workers[w].work_left = std::min(m.workers[w].work_left, 0);
      }
    }
    bool all_finished = true;
    for (const worker& w : m.workers) all_finished &= w.at == worker::finished;
    EXPECT_NE(claimed, all_finished) << "seed " << seed;
  }
}

}  // namespace termination_detector_test
