// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>

#include "unit/message_of.hpp"

namespace placement_test {

using pleat::parse_placement, pleat::place, pleat::topology;
using list = std::vector<unsigned>;

topology xml(const char* name) {
  return topology::xml(std::filesystem::path(PLEAT_TEST_DATA) / name);
}

list pus(const pleat::placement& placed) {
  list result;
  for (const auto& p : placed.processors) result.push_back(p.pu);
  return result;
}

list pus(const topology& machine, const char* policy, std::optional<unsigned> processors = {}) {
  return pus(place(machine, parse_placement(policy), processors));
}

// The machine we run on as it would be under a quota.
topology host_with_quota(const char* cpu_max) {
  const auto root =
      std::filesystem::path(testing::TempDir()) / ("pleat-placement-" + std::to_string(getpid()));
  std::filesystem::create_directories(root / "proc/self");
  std::filesystem::create_directories(root / "cg");
  std::ofstream(root / "proc/self/cgroup") << "0::/\n";
  std::ofstream(root / "proc/self/mountinfo") << "30 22 0:26 / /cg rw - cgroup2 cgroup2 rw\n";
  std::ofstream(root / "cg/cpu.max") << cpu_max << '\n';
  topology machine = topology::load_host(root);
  std::filesystem::remove_all(root);
  return machine;
}

TEST(placement, text_and_request_are_the_same_thing) {
  for (const char* const text :
       {"compact", "spread", "scatter", "numa:3", "p-cores", "e-cores", "compact/pu", "spread/pu",
        "numa:0/pu", "p-cores/pu", "list:4", "list:3,1,2"})
    EXPECT_EQ(to_string(parse_placement(text)), text);
  EXPECT_EQ(parse_placement("list:0,2-5,1").list, (list{0, 2, 3, 4, 5, 1}));
  EXPECT_EQ(parse_placement("compact"), pleat::placement_request{});
}

TEST(placement, malformed_text_is_a_usage_error_that_shows_it) {
  for (const char* const text : {"",           "Compact",      "compact ",          "close",
                                 "compact/",   "compact/core", "compact/pu/pu",     "numa",
                                 "numa:",      "numa:x",       "numa:-1",           "numa:1,2",
                                 "list:",      "list:,",       "list:1,",           "list:a",
                                 "list:5-2",   "list:1-",      "list:-1",           "list:1,1",
                                 "list:0-3,2", "list:0-1/pu",  "list:0-4294967295", "p-cores:1"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW((void)parse_placement(text), pleat::usage_error);
    const std::string message = message_of([&] { (void)parse_placement(text); });
    EXPECT_NE(message.find('"' + std::string(text) + '"'), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(placement, numbers_of_processors) {
  EXPECT_EQ(pleat::parse_processors("1"), 1u);
  EXPECT_EQ(pleat::parse_processors("96"), 96u);
  for (const char* const text : {"", "0", "-1", "2.5", "two", "4 ", " 4", "65537", "99999999999"})
    EXPECT_THROW((void)pleat::parse_processors(text), pleat::usage_error) << text;
}

TEST(placement, compact_takes_one_pu_per_core_in_the_order_of_the_tree) {
  const topology machine = topology::synthetic("numa:2 l3:2 core:4 pu:2");
  const auto placed = place(machine);
  ASSERT_EQ(placed.processors.size(), 16u);
  EXPECT_FALSE(placed.oversubscribed);
  EXPECT_TRUE(placed.warning.empty());
  for (unsigned r = 0; r < 16; ++r) {
    const auto& p = placed.processors[r];
    EXPECT_EQ(p, (pleat::processor{r, r, 2 * r, r / 8, 0}));
  }
}

TEST(placement, policies_choose_pus_in_this_order) {
  struct row {
    topology machine;
    const char* policy;
    std::optional<unsigned> processors;
    list chosen;
  };
  const topology two_nodes = topology::synthetic("numa:2 core:4 pu:2");
  const topology two_cores = topology::synthetic("core:2 pu:2");
  // Package 0 has cores of PUs 0, 1 | 2, package 1 has 3, 4, 5, 6; siblings are 7, 8, 9.
  const topology uneven = xml("uneven.xml");
  for (const row& one :
       std::initializer_list<row>{{two_nodes, "compact", 3u, {0, 2, 4}},
                                  {two_nodes, "scatter", 3u, {0, 8, 2}},
                                  {two_nodes, "spread", 3u, {0, 2, 8}},
                                  {two_cores, "compact/pu", {}, {0, 1, 2, 3}},
                                  {two_cores, "scatter/pu", {}, {0, 2, 1, 3}},
                                  {topology::synthetic("package:2 l3:2 core:2 pu:1"),
                                   "scatter",
                                   {},
                                   {0, 4, 2, 6, 1, 5, 3, 7}},
                                  {uneven, "scatter", {}, {0, 3, 2, 4, 1, 5, 6}},
                                  {uneven, "compact", {}, {0, 1, 2, 3, 4, 5, 6}},
                                  {uneven, "compact/pu", {}, {0, 7, 1, 8, 2, 9, 3, 4, 5, 6}},
                                  {two_nodes, "list:7,0-2", {}, {7, 0, 1, 2}},
                                  {two_nodes, "list:7,0-2", 2u, {7, 0}}})
    EXPECT_EQ(pus(one.machine, one.policy, one.processors), one.chosen) << one.policy;
}

TEST(placement, spread_takes_the_same_cores_in_the_order_of_the_hardware) {
  for (const char* const shape : {"package:2 l3:2 core:2 pu:1", "numa:3 core:5", "core:2 pu:2"}) {
    const topology machine = topology::synthetic(shape);
    for (const std::string each : {"", "/pu"}) {
      const std::size_t most = pus(machine, ("compact" + each).c_str()).size();
      for (unsigned p = 1; p <= most; ++p) {
        list scattered = pus(machine, ("scatter" + each).c_str(), p);
        std::ranges::sort(scattered);
        EXPECT_EQ(pus(machine, ("spread" + each).c_str(), p), scattered) << shape << ' ' << p;
      }
    }
  }
}

TEST(placement, one_numa_node) {
  const topology machine = topology::synthetic("numa:2 core:2 pu:2");
  EXPECT_EQ(pus(machine, "numa:1"), (list{4, 6}));
  EXPECT_EQ(pus(machine, "numa:1/pu"), (list{4, 5, 6, 7}));
  const std::string message = message_of([&] { (void)place(machine, parse_placement("numa:2")); });
  EXPECT_NE(message.find("NUMA node 2"), std::string::npos);
  EXPECT_NE(message.find("0-1"), std::string::npos) << message;
  EXPECT_THROW((void)place(machine, parse_placement("numa:2")), pleat::no_such_place);
}

TEST(placement, a_listed_pu_must_exist_and_be_allowed_and_be_listed_once) {
  const topology machine = xml("restricted.xml");
  EXPECT_EQ(pus(machine, "list:3,2"), (list{3, 2}));
  EXPECT_THROW((void)place(machine, parse_placement("list:4")), pleat::no_such_place);
  EXPECT_THROW((void)place(machine, parse_placement("list:2,1")), pleat::environment_error);
  const std::string message = message_of([&] { (void)place(machine, parse_placement("list:1")); });
  EXPECT_NE(message.find("PU 1"), std::string::npos) << message;
  EXPECT_NE(message.find("cpuset"), std::string::npos) << message;
  EXPECT_NE(message.find("2-3"), std::string::npos) << message;
  pleat::placement_request request{pleat::placement_request::policy::list, false, 0, {}};
  EXPECT_THROW((void)place(machine, request), pleat::usage_error);
  request.list = {2, 2};
  EXPECT_THROW((void)place(machine, request), pleat::usage_error);
}

TEST(placement, only_allowed_pus_are_used) {
  const topology machine = xml("restricted.xml");
  EXPECT_EQ(pus(machine, "compact"), (list{2, 3}));
  EXPECT_EQ(pus(machine, "spread"), (list{2, 3}));
  EXPECT_EQ(pus(machine, "numa:1"), (list{2, 3}));
  EXPECT_THROW((void)place(machine, parse_placement("numa:0")), pleat::environment_error);
}

TEST(placement, kinds_of_cores) {
  const topology hybrid = xml("hybrid.xml");
  EXPECT_EQ(pus(hybrid, "compact"), (list{0, 2, 4, 5, 6, 7}));
  EXPECT_EQ(pus(hybrid, "p-cores"), (list{0, 2}));
  EXPECT_EQ(pus(hybrid, "p-cores/pu"), (list{0, 1, 2, 3}));
  EXPECT_EQ(pus(hybrid, "e-cores"), (list{4, 5, 6, 7}));
  const topology alike = topology::synthetic("core:3");
  EXPECT_EQ(pus(alike, "p-cores"), (list{0, 1, 2}));
  EXPECT_THROW((void)place(alike, parse_placement("e-cores")), pleat::environment_error);
  EXPECT_THROW((void)place(xml("spurious_kinds.xml"), parse_placement("e-cores")),
               pleat::environment_error);
}

TEST(placement, more_processors_than_cores_use_the_other_pus_first) {
  const topology machine = topology::synthetic("core:3 pu:2");
  const auto five = place(machine, {}, 5u);
  EXPECT_EQ(pus(five), (list{0, 1, 2, 3, 4}));
  EXPECT_FALSE(five.oversubscribed);
  EXPECT_EQ(pus(machine, "compact", 4u), (list{0, 1, 2, 4}));
  const auto six = place(xml("uneven.xml"), {}, 10u);
  EXPECT_EQ(pus(six), (list{0, 7, 1, 8, 2, 9, 3, 4, 5, 6}));
  EXPECT_FALSE(six.oversubscribed);
}

TEST(placement, more_processors_than_pus_are_oversubscribed_and_dealt_evenly) {
  const topology machine = topology::synthetic("core:2");
  const auto placed = place(machine, {}, 5u);
  EXPECT_EQ(pus(placed), (list{0, 0, 0, 1, 1}));
  EXPECT_TRUE(placed.oversubscribed);
  EXPECT_NE(placed.warning.find("at most 2"), std::string::npos) << placed.warning;
  for (unsigned r = 0; r < 5; ++r) EXPECT_EQ(placed.processors[r].rank, r);
  EXPECT_TRUE(place(machine, parse_placement("list:1"), 2u).oversubscribed);
  EXPECT_TRUE(place(topology::synthetic("pu:1"), {}, 2u).oversubscribed);
}

TEST(placement, every_number_of_processors_is_dealt_within_one_of_even) {
  for (const char* const shape : {"pu:1", "core:3", "numa:2 core:3 pu:2"}) {
    const topology machine = topology::synthetic(shape);
    for (const char* const policy : {"compact", "spread", "compact/pu", "spread/pu"})
      for (unsigned p = 1; p <= 40; ++p) {
        const auto placed = place(machine, parse_placement(policy), p);
        ASSERT_EQ(placed.processors.size(), p);
        std::vector<unsigned> load(machine.pus());
        for (const auto& at : placed.processors) ++load[*machine.find_pu(at.pu)];
        const auto [least, most] = std::minmax_element(load.begin(), load.end());
        EXPECT_LE(*most - *least, 1u) << shape << ' ' << policy << ' ' << p;
        EXPECT_EQ(placed.oversubscribed, p > machine.pus());
      }
  }
}

TEST(placement, no_processors_and_absurdly_many_are_usage_errors) {
  const topology machine = topology::synthetic("core:2");
  EXPECT_THROW((void)place(machine, {}, 0u), pleat::usage_error);
  EXPECT_THROW((void)place(machine, {}, pleat::max_processors + 1), pleat::usage_error);
}

TEST(placement, a_quota_limits_the_number_and_not_the_choice) {
  const topology machine = host_with_quota("150000 100000");
  ASSERT_TRUE(machine.quota());
  EXPECT_EQ(machine.available(), 1u);
  EXPECT_EQ(place(machine).processors.size(), 1u);
  EXPECT_FALSE(place(machine).oversubscribed);
  if (machine.allowed_pus() > 1) {
    EXPECT_EQ(machine.restrictions().back().cause, pleat::restriction::by::quota);
    EXPECT_NE(machine.summary().find("by quota"), std::string::npos) << machine.summary();
    const auto two = place(machine, {}, 2u);
    EXPECT_EQ(two.processors.size(), 2u);
    EXPECT_NE(two.processors[0].pu, two.processors[1].pu);
    EXPECT_TRUE(two.oversubscribed);
    EXPECT_NE(two.warning.find("quota of 1"), std::string::npos) << two.warning;
  }
}

TEST(placement, a_quota_larger_than_the_machine_is_no_restriction) {
  const topology free = topology::load_host("/nowhere");
  const topology machine = host_with_quota("900000000 100000");
  EXPECT_EQ(machine.available(), free.available());
  EXPECT_EQ(machine.restrictions().size(), free.restrictions().size());
}

}  // namespace placement_test
