// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

namespace run_report_test {

using pleat::activity, pleat::machine, pleat::observed, pleat::run_report, pleat::task, pleat::vp;

/// VP 0 sets out when the other already stands at the barrier, or nearly, and then computes for
/// long enough that the wait is worth a stamp; before each barrier, both send much to the other.
class late_first {
 public:
  task<> operator()(vp& me) {
    const std::vector<std::byte> block(100'000);
    for (int step = 0; step < 3; ++step) {
      for (int i = 0; i < 2000; ++i) me.send(1 - me.rank(), i);
      me.send(1 - me.rank(), std::span(block));
      if (me.rank() == 1)
        arrived_.store(step + 1, std::memory_order_release);
      else
        compute_after(step);
      co_await me.sync(0);
      while (me.receive()) {
      }
    }
  }

 private:
  void compute_after(int step) {
    while (arrived_.load(std::memory_order_acquire) <= step) std::this_thread::yield();
    for (int i = 0; i < 5'000'000; ++i) sum_ = sum_ + 1;
  }

  std::atomic<int> arrived_ = 0;
  volatile int sum_ = 0;
};

/// Number of times that processor 1 waited, by its timeline.
auto waits(const run_report& report) {
  return std::ranges::count(report.timeline[1], activity::waiting, &pleat::timeline_span::what);
}

/// Runs late_first until `seen`: a VP 1 that the system stops right before a barrier, for as long
/// as VP 0 computes, finds it passed.
template <class Seen> run_report run_until(machine& on, const Seen& seen) {
  for (int tries = 1;; ++tries) {
    late_first program;
    run_report report = on.run(2, program);
    if (seen(report) || tries == 100) return report;
  }
}

TEST(run_report, says_where_the_time_of_each_processor_went) {
  for (const pleat::wait_policy wait : {pleat::wait_policy::automatic, pleat::wait_policy::park}) {
    machine on({.processors = 2, .wait = wait});
    const run_report report =
        run_until(on, [](const run_report& r) { return r.times[1].waiting > 0; });
    ASSERT_EQ(report.times.size(), 2u);
    for (const auto& times : report.times) {
      EXPECT_GE(times.computation, 0);
      EXPECT_GE(times.waiting, 0);
      EXPECT_GT(times.communication, 0);
      EXPECT_LE(times.computation + times.waiting + times.communication, report.seconds);
    }
    EXPECT_GT(report.times[0].computation, 0);
    EXPECT_GT(report.times[1].waiting, 0);
    EXPECT_TRUE(report.timeline.empty());
  }
}

TEST(run_report, has_no_times_if_they_are_not_wanted) {
  machine on({.processors = 2, .observe = observed::nothing});
  late_first program;
  const run_report report = on.run(2, program);
  EXPECT_TRUE(report.times.empty());
  EXPECT_EQ(report.supersteps, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(report.messages, 2u * 3u * 2001u);
}

TEST(run_report, has_a_timeline_on_request) {
  machine on({.processors = 2, .observe = observed::timeline});
  for (int round = 0; round < 2; ++round) {  // the second run starts anew
    const run_report report = run_until(on, [](const run_report& r) { return waits(r) >= 3; });
    ASSERT_EQ(report.timeline.size(), 2u);
    EXPECT_EQ(report.timeline_lost, 0u);
    for (std::size_t processor = 0; processor < 2; ++processor) {
      const auto& spans = report.timeline[processor];
      double before = 0, waiting = 0;
      for (const auto& span : spans) {
        EXPECT_LE(before, span.begin);
        EXPECT_LE(span.begin, span.end);
        EXPECT_LE(span.label, 1u);
        before = span.end;
        if (span.what == activity::waiting) waiting += span.end - span.begin;
      }
      EXPECT_LE(before, report.seconds);
      EXPECT_NEAR(waiting, report.times[processor].waiting, 1e-9);
      EXPECT_GE(std::ranges::count(spans, activity::communication, &pleat::timeline_span::what), 3);
    }
    EXPECT_GE(waits(report), 3);
  }
}

TEST(run_report, keeps_no_more_spans_than_it_says) {
  machine on({.processors = 2, .observe = observed::timeline});
  const run_report report = on.run(2, [](vp& me) -> task<> {
    for (int step = 0; step < 70'000; ++step) co_await me.sync(0);
  });
  std::size_t kept = 0;
  for (const auto& spans : report.timeline) {
    EXPECT_LE(spans.size(), std::size_t{1} << 16);
    kept += spans.size();
  }
  EXPECT_GE(kept + report.timeline_lost, 2u * 70'000u);
}

TEST(run_report, of_one_processor_has_no_waiting) {
  machine on({.processors = 1, .observe = observed::timeline});
  const run_report report = on.run(50, [](vp& me) -> task<> {
    me.send((me.rank() + 1) % me.size(), 1.0);
    co_await me.sync(0);
  });
  ASSERT_EQ(report.times.size(), 1u);
  EXPECT_EQ(report.times[0].waiting, 0);
  EXPECT_TRUE(report.timeline[0].empty());
}

}  // namespace run_report_test
