// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/for_each.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace for_each_test {

TEST(for_each, visits_each_element_once) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::vector<int> visits(n);
    pleat::for_each(machine, visits, [](int& x) { ++x; }, {.vps = vps});
    for (const std::size_t chunk : {1, 3, 64, 100000})
      pleat::for_each(machine, visits, [](int& x) { ++x; }, {.vps = vps, .chunk = chunk});
    ASSERT_EQ(visits, std::vector<int>(n, 5));
  });
}

TEST(for_each, takes_projections_deques_and_views) {
  auto machine = strict_machine(2);
  struct item {
    std::string name;
    std::unique_ptr<int> owned;
  };
  std::deque<item> items(1000);
  pleat::for_each(machine, items, [](std::string& s) { s = "x"; }, &item::name, {.vps = 5});
  for (const item& i : items) ASSERT_EQ(i.name, "x");
  std::atomic<std::size_t> sum = 0;
  pleat::for_each(machine, std::views::iota(10, 1000), [&](int i) { sum += std::size_t(i); },
                  {.vps = 3});
  EXPECT_EQ(sum, 999u * 1000 / 2 - 45);
}

TEST(for_each, takes_two_iterators) {
  auto machine = strict_machine(2);
  std::deque<int> visits(1000);
  const auto visit = [](int& x) { ++x; };
  pleat::for_each(machine, visits.begin() + 1, visits.end(), visit, {.vps = 3});
  pleat::for_each(visits.begin() + 1, visits.end(), visit);
  EXPECT_EQ(visits[0], 0);
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 2), 999);
}

TEST(for_each_index, begins_where_it_is_told) {
  auto machine = strict_machine(3);
  std::vector<int> visits(300);
  const auto visit = [&](int i) { ++visits[static_cast<std::size_t>(i + 100)]; };
  pleat::for_each_index(machine, -100, 200, visit, {.vps = 5});
  pleat::for_each_index(machine, -100, 200, visit, {.vps = 2, .chunk = 7});
  pleat::for_each_index(-100, 200, visit);
  EXPECT_EQ(visits, std::vector<int>(300, 3));
  std::atomic<std::size_t> sum = 0;
  pleat::for_each_index(machine, 10, std::size_t{20}, [&](std::size_t i) { sum += i; });
  EXPECT_EQ(sum, 145u);
}

TEST(for_each_index, calls_with_each_index_once) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::vector<int> visits(n);
    pleat::for_each_index(machine, n, [&](std::size_t i) { ++visits[i]; }, {.vps = vps});
    pleat::for_each_index(machine, static_cast<int>(n),
                          [&](int i) { ++visits[static_cast<std::size_t>(i)]; },
                          {.vps = vps, .chunk = 7});
    ASSERT_EQ(visits, std::vector<int>(n, 2));
  });
  pleat::for_each_index(machine, -5, [](int) { FAIL(); });
  pleat::for_each_index(machine, 5, 3, [](int) { FAIL(); });
  pleat::for_each_index(3u, 3u, [](unsigned) { FAIL(); });
}

TEST(for_each, reports_how_many_shared_the_work) {
  auto machine = strict_machine(2);
  std::vector<double> x(1);  // of more, the clock decides
  pleat::run_report report;
  report.vps = 99;
  pleat::for_each(machine, x, [](double& v) { v = 1; }, {.report = &report});
  EXPECT_EQ(report.vps, 0u);
  std::vector<double> y(16 * large);
  pleat::for_each(machine, y, [](double& v) { v = 1; }, {.vps = 2, .report = &report});
  EXPECT_EQ(report.vps, 2u);
  EXPECT_EQ(y, std::vector<double>(y.size(), 1));
  pleat::for_each(machine, y, [](double& v) { v = 2; }, {.report = &report});
  EXPECT_TRUE(report.vps == 0 || report.vps == 2) << report.vps;
  EXPECT_EQ(y, std::vector<double>(y.size(), 2));
}

TEST(for_each, stays_with_its_caller_inside_a_run_however_long_it_takes) {
  auto machine = strict_machine(2);
  machine.run(2, [&](pleat::vp&) -> pleat::task<> {
    const auto long_work = [](std::thread::id& by) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      by = std::this_thread::get_id();
    };
    for (const std::optional<std::size_t> chunk : {std::optional<std::size_t>{}, {3}}) {
      std::vector<std::thread::id> by(20);
      pleat::for_each(machine, by, long_work, {.chunk = chunk});
      pleat::for_each(by, long_work, {.chunk = chunk});
      EXPECT_EQ(by, std::vector(20, std::this_thread::get_id()));
    }
    co_return;
  });
}

TEST(for_each, chunks_that_a_busy_vp_does_not_take_are_done_by_others) {
  auto machine = strict_machine(2);
  std::vector<int> visits(1001);
  std::atomic<std::size_t> done = 0;
  pleat::for_each_index(machine, visits.size(),
                        [&](std::size_t i) {
                          // The first element takes as long as all others together.
                          while (i == 0 && done + 1 != visits.size()) std::this_thread::yield();
                          ++visits[i];
                          ++done;
                        },
                        {.vps = 2, .chunk = 1});
  EXPECT_EQ(visits, std::vector<int>(1001, 1));
}

TEST(for_each, the_caller_begins_with_no_more_than_a_chunk_at_a_time) {
  auto machine = strict_machine(2);
  std::size_t longest = 0;
  pleat::detail::everyday::executor where(machine);
  static_cast<void>(pleat::detail::everyday::start_alone(
      "for_each", where, pleat::loop_options(), 500,
      [&](std::size_t first, std::size_t last) { longest = std::max(longest, last - first); },
      pleat::detail::everyday::pace::measured, 1, 4));
  EXPECT_LE(longest, 4u);
}

}  // namespace for_each_test
