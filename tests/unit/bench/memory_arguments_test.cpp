// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "measure/big_block.hpp"
#include "tool/machine_arguments.hpp"
#include "unit/message_of.hpp"

// hwloc 2.9 loses what stands between brackets of a machine that it describes by synthetic text.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhwloc"; }

namespace memory_arguments_test {

using namespace pleat::bench;
using pleat::topology;

std::string policy_of(const memory_arguments& chosen, const char* machine = "numa:2 core:2") {
  return to_string(chosen.policy(topology::synthetic(machine)));
}

TEST(memory_arguments, win_over_the_environment) {
  EXPECT_EQ(policy_of({}), "first-touch");
  ::setenv("PLEAT_MEMORY", "interleave/4k", 1);
  EXPECT_EQ(policy_of({}), "interleave/4k");
  EXPECT_EQ(policy_of({.memory = {}, .pages = "thp"}), "interleave");
  EXPECT_EQ(policy_of({.memory = "bind:1", .pages = {}}), "bind:1");
  ::unsetenv("PLEAT_MEMORY");
  EXPECT_EQ(policy_of({.memory = "remote", .pages = "hugetlb"}), "remote/hugetlb");
  EXPECT_EQ(policy_of({.memory = "master/4k", .pages = "4k"}), "master/4k");
  EXPECT_EQ(policy_of({.memory = "/4k", .pages = {}}), "first-touch/4k");
}

TEST(memory_arguments, that_make_no_sense_say_what_would) {
  const auto refusal = [](const memory_arguments& chosen, const char* machine) {
    std::string said;
    try {
      static_cast<void>(chosen.policy(topology::synthetic(machine)));
    } catch (const pleat::usage_error& wrong) {
      said = wrong.what();
    }
    return said;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), text.npos) << text;
  };
  has(refusal({.memory = "nowhere", .pages = {}}, "core:2"), "bind:N");
  has(refusal({.memory = {}, .pages = "2M"}, "core:2"), "known: 4k, thp, hugetlb");
  has(refusal({.memory = "local/4k", .pages = "thp"}, "core:2"), "leave one of them out");
  has(refusal({.memory = "bind:2", .pages = {}}, "numa:2 core:2"), "this machine has 0-1");
  has(refusal({.memory = "remote", .pages = {}}, "core:2"), "no such NUMA node");
  has(refusal({.memory = "remote", .pages = {}}, "[numa] [numa] core:2"), "this machine has 0-1");
  has(refusal({.memory = "hbm", .pages = {}}, "numa:2 core:2"), "memory hbm: there is no such");
}

TEST(memory_pages, are_those_of_all_arrays) {
  pleat::machine on({.processors = 2});
  const big_block one(10'000, on), other((std::size_t{3} << 20) + 1, on);
  std::optional<array_pages> pages;
  if (const std::string refusal = message_of([&] {
        pages = look_at({&one, &other});
      });
      !refusal.empty()) {  // a container may forbid it
    EXPECT_NE(refusal.find("move_pages"), std::string::npos) << refusal;
    EXPECT_FALSE(checked_pages(on, {&one, &other}).has_value());
    return;
  }
  ASSERT_TRUE(pages.has_value());
  EXPECT_EQ(pages->counts.present(), 3u + 769u);
  EXPECT_EQ(pages->astray, 0u);
  const auto json = memory_pages_json(pages);
  EXPECT_EQ(json["page_bytes"], 4096);
  EXPECT_EQ(json["absent"], 0);
  std::uint64_t sum = 0;
  for (const auto& [node, count] : json["on_node"].items()) sum += count.get<std::uint64_t>();
  EXPECT_EQ(sum, 772u);
  EXPECT_TRUE(memory_pages_json(look_at({})).is_null());
}

TEST(memory_as_text, leaves_the_size_of_pages_to_its_own_key) {
  EXPECT_EQ(nodes_text(pleat::parse_memory_policy("bind:3/4k")), "bind:3");
}

}  // namespace memory_arguments_test
