// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <linux/mempolicy.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "unit/message_of.hpp"
#include "unit/runtime/machines.hpp"

namespace memory_policy_test {

using pleat::machine, pleat::memory_policy, pleat::task, pleat::vp;
using nodes = memory_policy::nodes;
using pages = memory_policy::pages;

TEST(memory_policy, is_read_as_it_is_written) {
  for (const nodes where :
       {nodes::first_touch, nodes::local, nodes::interleave, nodes::weighted_interleave,
        nodes::bind, nodes::remote, nodes::master}) {
    for (const pages size : {pages::transparent, pages::small, pages::reserved}) {
      const memory_policy policy{where, where == nodes::bind ? 17u : 0u, size};
      EXPECT_EQ(pleat::parse_memory_policy(to_string(policy)), policy) << to_string(policy);
    }
  }
  for (const char* kind : {"dram", "hbm", "cxl", "nvm/4k"})
    EXPECT_EQ(to_string(pleat::parse_memory_policy(kind)), kind);
  EXPECT_EQ(to_string(pleat::parse_memory_policy("/4k")), "first-touch/4k");
  EXPECT_EQ(to_string(pleat::parse_memory_policy("bind:3/thp")), "bind:3");
}

TEST(memory_policy, that_is_none_is_refused_with_those_there_are) {
  for (const char* text :
       {"", "firsttouch", "bind", "bind:", "bind:-1", "bind:1x", "bind:99999999999", "interleave/",
        "interleave/2M", "remote/4k/thp", "Local", " local", "unknown", "HBM"}) {
    const std::string what = message_of([&] { (void)pleat::parse_memory_policy(text); });
    EXPECT_NE(what.find("first-touch, local, interleave, weighted-interleave, bind:N, dram, hbm, "
                        "cxl, nvm, remote and master"),
              what.npos)
        << text << ": " << what;
  }
}

// Nodes of the pages of each worker.
std::vector<std::vector<unsigned>> nodes_of(const char* policy, const pleat::topology& on,
                                            const char* request) {
  const pleat::placement where = pleat::place(on, pleat::parse_placement(request));
  std::vector<std::vector<unsigned>> found;
  for (std::size_t i = 0; i < where.processors.size(); ++i)
    found.push_back(pleat::nodes_of_pages(pleat::parse_memory_policy(policy), on, where, i));
  return found;
}

TEST(nodes_of_pages, are_those_of_the_policy_on_any_machine) {
  using all = std::vector<std::vector<unsigned>>;
  const auto two = pleat::topology::synthetic("numa:2 core:2 pu:2");
  EXPECT_EQ(nodes_of("first-touch", two, "compact"), (all{{0}, {0}, {1}, {1}}));
  EXPECT_EQ(nodes_of("local", two, "scatter"), (all{{0}, {1}, {0}, {1}}));
  EXPECT_EQ(nodes_of("interleave", two, "numa:1"), (all{{0, 1}, {0, 1}}));
  EXPECT_EQ(nodes_of("bind:1", two, "numa:0"), (all{{1}, {1}}));
  EXPECT_EQ(nodes_of("remote", two, "compact"), (all{{1}, {1}, {0}, {0}}));
  EXPECT_EQ(nodes_of("master", two, "list:6,0"), (all{{1}, {1}}));
  // Of nodes that are equally far, the next.
  const auto four = pleat::topology::synthetic("package:2 numa:2 core:1");
  EXPECT_EQ(nodes_of("remote", four, "compact"), (all{{1}, {2}, {3}, {0}}));
  EXPECT_THROW((void)nodes_of("bind:2", two, "compact"), pleat::environment_error);
  EXPECT_THROW((void)nodes_of("remote", pleat::topology::synthetic("core:2"), "compact"),
               pleat::environment_error);
}

TEST(nodes_of_pages, of_memory_only_nodes_are_those_of_the_kind_that_are_near) {
  using all = std::vector<std::vector<unsigned>>;
  const auto machine = pleat::topology::xml(std::string(PLEAT_TEST_DATA) + "/memory_kinds.xml");
  const auto of = [&](const char* policy) { return nodes_of(policy, machine, "compact"); };
  EXPECT_EQ(of("first-touch"), (all{{0}, {0}, {3}, {3}}));
  EXPECT_EQ(of("dram"), (all{{0}, {0}, {3}, {3}}));
  EXPECT_EQ(of("hbm"), (all{{2}, {2}, {1}, {1}}));
  EXPECT_EQ(of("cxl"), all(4, {4}));
  EXPECT_EQ(of("bind:2"), all(4, {2}));
  EXPECT_EQ(of("interleave"), all(4, {0, 1, 2, 3, 4}));
  EXPECT_EQ(of("weighted-interleave"), all(4, {0, 1, 2, 3, 4}));
  // The farthest, and never one that is local.
  EXPECT_EQ(of("remote"), (all{{1}, {1}, {2}, {2}}));
  EXPECT_EQ(message_of([&] { (void)of("nvm"); }),
            "memory nvm: this process may use the NUMA nodes 0 (dram), 1-2 (hbm), 3 (dram), "
            "4 (cxl); bind:N names one whose kind is not known");
  const auto beside = pleat::topology::synthetic("[numa] [numa] core:2 pu:1");
  EXPECT_EQ(nodes_of("bind:1", beside, "compact"), (all{{1}, {1}}));
  EXPECT_EQ(message_of([&] { (void)nodes_of("remote", beside, "compact"); }),
            "memory remote: this process may use the NUMA nodes 0-1, none of which is remote from "
            "node 0");
}

/// The NUMA node of the page, or an error less than 0, as the kernel answers; nothing if it
/// refuses.
std::optional<int> node_by_the_kernel(const std::byte* page) {
  const void* address = page;
  int node = 0;
  if (::syscall(SYS_move_pages, 0, 1, &address, nullptr, &node, 0) != 0) return std::nullopt;
  return node;
}

bool kernel_tells_where_pages_are() {
  const std::vector<std::byte> written(1);
  return node_by_the_kernel(written.data()).has_value();
}

TEST(page_counts, are_those_of_the_kernel_or_an_error_that_names_its_call) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<std::byte> room(9 * page);
  std::byte* const first =
      room.data() + page - reinterpret_cast<std::uintptr_t>(room.data()) % page;
  const auto count = [](std::span<const std::byte> memory) { return pleat::memory_of(memory); };
  EXPECT_EQ(count({first, 0}).present(), 0u);
  EXPECT_EQ(to_string(count({first, 0})), "no pages");
  if (!node_by_the_kernel(first)) {
    const auto all = [&] { (void)count({first, 8 * page}); };
    EXPECT_THROW(all(), pleat::environment_error);
    EXPECT_NE(message_of(all).find("move_pages"), std::string::npos) << message_of(all);
    return;
  }
  std::map<unsigned, std::uint64_t> expected;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::optional<int> node = node_by_the_kernel(first + i * page);
    ASSERT_TRUE(node && *node >= 0) << "page " << i << ", which was written to";
    ++expected[static_cast<unsigned>(*node)];
  }
  const pleat::page_counts counts = count({first, 8 * page});
  EXPECT_EQ(counts.on_node, expected);
  EXPECT_EQ(counts.present(), 8u);
  EXPECT_EQ(counts.absent, 0u);
  EXPECT_EQ(counts.page_bytes, page);
  EXPECT_EQ(count({first + page - 1, 2}).present(), 2u);
}

struct kernels_policy {
  int mode = -1;
  std::vector<unsigned long> mask = std::vector<unsigned long>(16);
  friend bool operator==(const kernels_policy&, const kernels_policy&) = default;
};
kernels_policy of_this_thread() {
  kernels_policy found;
  if (::syscall(SYS_get_mempolicy, &found.mode, found.mask.data(), 1024, nullptr, 0) != 0)
    found.mode = -1;
  return found;
}

constexpr int weighted_interleave = 6;  // linux/mempolicy.h of Linux 6.9

/// Tells whether the kernel lets this thread choose a policy and take it back, which a container
/// may not, and has this one.
bool kernel_places_memory(int mode = MPOL_DEFAULT) {
  const kernels_policy before = of_this_thread();
  const unsigned long first = 1;
  return before.mode != -1 &&
         (mode == MPOL_DEFAULT || ::syscall(SYS_set_mempolicy, mode, &first, 64) == 0) &&
         ::syscall(SYS_set_mempolicy, before.mode, before.mask.data(), 1024) == 0;
}

class machine_with_memory : public testing::TestWithParam<const char*> {};

TEST_P(machine_with_memory, gives_it_to_every_worker_and_takes_it_back_from_the_caller) {
  const memory_policy wanted = pleat::parse_memory_policy(GetParam());
  const bool refused = !kernel_places_memory(
      wanted.where == nodes::weighted_interleave ? weighted_interleave : MPOL_DEFAULT);
  if (wanted.where != nodes::first_touch && refused) {
    const auto make = [&] {
      machine m({.processors = 3, .memory = wanted});
      (void)m.run(3, [](vp&) -> task<> { co_return; });
    };
    EXPECT_THROW(make(), pleat::environment_error);
    const std::string said = message_of(make);
    EXPECT_TRUE(said.find("_mempolicy") != said.npos ||
                said.find("weighted-interleave needs Linux 6.9") != said.npos)
        << said;
    return;
  }
  const kernels_policy before = of_this_thread();
  const bool told = kernel_tells_where_pages_are();
  machine m({.processors = 3,
             .memory = wanted,
             .observe = told ? pleat::observed::pages : pleat::observed::nothing});
  std::vector<int> modes(12, -2);
  std::byte* memory = nullptr;
  constexpr std::size_t each = std::size_t{1} << 20;
  {
    const machine::turn mine(m, machine::use::scratch);
    memory = m.scratch(12 * each).data();
    const auto report = m.run(12, [&](vp& me) -> task<> {
      modes[me.rank()] = of_this_thread().mode;
      std::fill_n(memory + me.rank() * each, each, std::byte{1});
      co_await me.sync(0);
    });
    ASSERT_EQ(report.pages.has_value(), told);
    if (told) {
      EXPECT_EQ(*report.pages, pleat::memory_of(m.scratch(12 * each)));
      EXPECT_EQ(report.pages->present() * report.pages->page_bytes, 12 * each);
      ASSERT_EQ(report.processor_pages.size(), 3u);
      for (const pleat::page_counts& kept : report.processor_pages) EXPECT_GT(kept.present(), 0u);
    } else {
      EXPECT_TRUE(report.processor_pages.empty());
    }
  }
  for (const int mode : modes) {
    switch (wanted.where) {
      case nodes::first_touch:
        EXPECT_EQ(mode, before.mode);
        break;
      case nodes::interleave:
        EXPECT_EQ(mode, MPOL_INTERLEAVE);
        break;
      case nodes::weighted_interleave:
        EXPECT_EQ(mode, weighted_interleave);
        break;
      case nodes::bind:
        EXPECT_EQ(mode, MPOL_BIND);
        break;
      default:
        EXPECT_TRUE(mode == MPOL_PREFERRED || mode == MPOL_LOCAL) << mode;
    }
  }
  EXPECT_EQ(of_this_thread(), before);
}

INSTANTIATE_TEST_SUITE_P(on_the_host, machine_with_memory,
                         testing::Values("first-touch", "local", "interleave",
                                         "weighted-interleave", "bind:0", "master", "interleave/4k",
                                         "/4k"));

TEST(refused_memory, names_the_node_or_the_reserve_that_is_missing) {
  const auto make = [](const char* policy) {
    return message_of([&] {
      machine m({.memory = pleat::parse_memory_policy(policy)});
      (void)m.scratch(std::size_t{1} << 40);
    });
  };
  EXPECT_NE(make("bind:1000").find("memory bind:1000: this process may use the NUMA nodes"),
            std::string::npos);
  const std::string too_large = make("bind:0");
  EXPECT_TRUE(too_large.find("NUMA node 0 has no 1048577 MiB left") != too_large.npos ||
              (!kernel_places_memory() && too_large.find("_mempolicy") != too_large.npos))
      << too_large;
  EXPECT_NE(make("/hugetlb").find("sysctl vm.nr_hugepages=524288"), std::string::npos)
      << make("/hugetlb");
  if (pleat::topology::host().memory_nodes().size() == 1) {
    EXPECT_NE(make("remote").find("none of which is remote"), std::string::npos);
  }
}

TEST(variables, say_where_memory_goes_unless_an_argument_does) {
  {
    const variable small("PLEAT_MEMORY", "/4k");
    EXPECT_EQ(to_string(machine().memory()), "first-touch/4k");
    EXPECT_EQ(to_string(machine({.memory = memory_policy{}}).memory()), "first-touch");
  }
  const variable wrong("PLEAT_MEMORY", "nowhere");
  EXPECT_NE(message_of([] { machine m; }).find("PLEAT_MEMORY: memory \"nowhere\""),
            std::string::npos);
}

}  // namespace memory_policy_test
