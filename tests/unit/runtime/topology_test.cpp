// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "unit/message_of.hpp"

namespace topology_test {

using pleat::topology;

std::filesystem::path data(const char* name) {
  return std::filesystem::path(PLEAT_TEST_DATA) / name;
}

// Expects what holds for every topology, whatever its shape.
void expect_well_formed(const topology& machine) {
  const auto nodes = machine.memory_nodes();
  for (const unsigned node : machine.numa_nodes())
    EXPECT_EQ(std::ranges::count(nodes, node, &pleat::numa_node::index), 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(nodes[i - 1].index, nodes[i].index);
    }
    for (std::size_t j = 0; j < nodes.size(); ++j)
      EXPECT_GE(machine.distance(nodes[i].index, nodes[j].index).value_or(10), i == j ? 1u : 10u);
  }
  const auto units = machine.units();
  const auto objects = machine.objects();
  ASSERT_FALSE(units.empty());
  ASSERT_FALSE(objects.empty());
  EXPECT_EQ(objects[0].size, units.size());
  EXPECT_EQ(objects[0].parent, 0u);
  std::vector<std::size_t> children(objects.size()), covered(objects.size());
  for (std::size_t i = 1; i < objects.size(); ++i) {
    const auto& parent = objects[objects[i].parent];
    ASSERT_LT(objects[i].parent, i);
    EXPECT_EQ(objects[i].depth, parent.depth + 1);
    EXPECT_LT(objects[i].height, parent.height);
    EXPECT_GE(objects[i].first, parent.first);
    EXPECT_LE(objects[i].first + objects[i].size, parent.first + parent.size);
    ++children[objects[i].parent];
    covered[objects[i].parent] += objects[i].size;
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_NE(children[i], 1u) << objects[i].label << " should be one with its only child";
    if (children[i] == 0) {
      EXPECT_EQ(objects[i].height, 0u);
      EXPECT_EQ(objects[i].size, 1u);
    } else {
      EXPECT_EQ(covered[i], objects[i].size) << objects[i].label;
    }
  }
  std::set<unsigned> pus, cores;
  for (std::size_t i = 0; i < units.size(); ++i) {
    EXPECT_TRUE(pus.insert(units[i].pu).second);
    cores.insert(units[i].core);
    EXPECT_EQ(objects[units[i].object].first, i);
    EXPECT_EQ(machine.find_pu(units[i].pu), i);
    EXPECT_LT(units[i].kind, machine.kinds());
  }
  EXPECT_EQ(machine.pus(), units.size());
  EXPECT_EQ(machine.cores(), cores.size());
  EXPECT_GE(machine.allowed_cores(), 1u);
  EXPECT_LE(machine.allowed_cores(), machine.cores());
  EXPECT_GE(machine.available(), 1u);
  EXPECT_LE(machine.available(), machine.allowed_cores());
}

TEST(topology, synthetic_numa_l3_core_pu) {
  const topology machine = topology::synthetic("numa:2 l3:2 core:4 pu:2");
  expect_well_formed(machine);
  EXPECT_EQ(machine.cores(), 16u);
  EXPECT_EQ(machine.pus(), 32u);
  EXPECT_EQ(machine.numa_nodes().size(), 2u);
  EXPECT_EQ(machine.objects()[0].name, "Machine");
  EXPECT_EQ(machine.objects()[0].height, 4u);
  EXPECT_EQ(machine.objects()[1].name, "NUMANode L#0");
  EXPECT_EQ(machine.objects()[2].name, "L3 L#0");
  EXPECT_EQ(machine.units()[31].core, 15u);
  EXPECT_EQ(machine.units()[31].thread, 1u);
  EXPECT_EQ(machine.units()[31].numa, 1u);
}

TEST(topology, synthetic_shapes_are_well_formed) {
  for (const char* const shape :
       {"pu:1", "core:1", "core:6", "core:12 pu:1", "package:2 core:3", "package:2 core:3 pu:2",
        "package:1 numa:1 l3:1 l2:1 core:2 pu:1", "package:3 l3:5 core:7 pu:1",
        "package:2 die:2 l3:2 l2:4 l1:1 core:1 pu:2", "group:2 numa:2 core:2 pu:1", "3 4",
        "numa:8 core:16 pu:4"}) {
    SCOPED_TRACE(shape);
    expect_well_formed(topology::synthetic(shape));
  }
}

TEST(topology, large_machines_of_several_levels_are_built) {
  EXPECT_EQ(topology::synthetic("numa:64(memory=16GB) l3:8 core:8 pu:2").pus(), 8192u);
  EXPECT_EQ(topology::synthetic("package:2(indexes=1,0) [numa] pu:2048").pus(), 4096u);
}

TEST(topology, levels_with_one_child_are_one_object) {
  const topology machine = topology::synthetic("package:1 numa:1 l3:1 l2:1 core:2 pu:1");
  ASSERT_EQ(machine.objects().size(), 3u);
  EXPECT_EQ(machine.objects()[0].name, "L2 L#0");
  EXPECT_NE(machine.objects()[0].label.find("Package L#0"), std::string::npos);
  EXPECT_NE(machine.objects()[0].label.find("NUMANode L#0"), std::string::npos);
  EXPECT_EQ(machine.objects()[2].name, "PU L#1");
  EXPECT_NE(machine.objects()[2].label.find("Core L#1"), std::string::npos);
}

TEST(topology, groups_are_named_by_the_numa_nodes_they_hold) {
  const topology machine = topology::synthetic("group:2 numa:2 l3:2 core:2 pu:1");
  EXPECT_EQ(machine.objects()[1].name, "NUMANodes L#0-1");
  EXPECT_EQ(machine.objects()[2].name, "NUMANode L#0");
  EXPECT_EQ(machine.objects()[3].name, "L3 L#0");
}

TEST(topology, uneven_xml) {
  const topology machine = topology::xml(data("uneven.xml"));
  expect_well_formed(machine);
  EXPECT_EQ(machine.cores(), 7u);
  EXPECT_EQ(machine.pus(), 10u);
  EXPECT_EQ(machine.packages(), 2u);
  EXPECT_EQ(machine.units()[1].pu, 7u);  // the sibling of PU 0 is next to it
  EXPECT_EQ(machine.units()[1].thread, 1u);
  EXPECT_EQ(machine.units()[9].numa, 1u);
  EXPECT_EQ(machine.objects()[0].height, 4u);
}

TEST(topology, common_object_is_the_deepest_that_holds_both) {
  const topology machine = topology::xml(data("uneven.xml"));
  const auto shared = [&](std::size_t a, std::size_t b) {
    const auto units = machine.units();
    return machine.objects()[machine.common_object(units[a].object, units[b].object)].name;
  };
  EXPECT_EQ(shared(3, 3), "PU L#3");
  EXPECT_EQ(shared(0, 1), "Core L#0");
  EXPECT_EQ(shared(0, 2), "L3 L#0");
  EXPECT_EQ(shared(0, 4), "Package L#0");
  EXPECT_EQ(shared(9, 6), "L3 L#2");
  EXPECT_EQ(shared(5, 6), "Machine");
}

TEST(topology, hybrid_processors_have_kinds) {
  const topology machine = topology::xml(data("hybrid.xml"));
  EXPECT_EQ(machine.kinds(), 2u);
  EXPECT_EQ(machine.units()[0].kind, 1u);
  EXPECT_EQ(machine.units()[7].kind, 0u);
}

TEST(topology, kinds_that_split_a_core_are_not_believed) {
  const topology machine = topology::xml(data("spurious_kinds.xml"));
  EXPECT_EQ(machine.kinds(), 1u);
  expect_well_formed(machine);
}

TEST(topology, nodes_have_kinds_figures_and_the_pus_they_are_local_to) {
  using pleat::memory_kind;
  const topology machine = topology::xml(data("memory_kinds.xml"));
  expect_well_formed(machine);
  EXPECT_EQ(to_string(machine.memory_nodes()), "0 (dram), 1-2 (hbm), 3 (dram), 4 (cxl)");
  // PUs with two nodes belong to that of DRAM, though it may have the higher index.
  EXPECT_EQ(std::vector(machine.numa_nodes().begin(), machine.numa_nodes().end()),
            (std::vector<unsigned>{0, 3}));
  for (const pleat::processing_unit& unit : machine.units())
    EXPECT_EQ(unit.numa, unit.pu < 2 ? 0u : 3u);
  // Figures that PUs of another package get do not count, also if they are better.
  const double bandwidths[] = {200'000, 800'000, 700'000, 190'000, 50'000};
  const double latencies[] = {90, 110, 110, 95, 300};
  for (const pleat::numa_node& node : machine.memory_nodes()) {
    EXPECT_DOUBLE_EQ(node.bandwidth, bandwidths[node.index] * (1 << 20));
    EXPECT_DOUBLE_EQ(node.latency, latencies[node.index] * 1e-9);
  }
  EXPECT_TRUE(machine.is_local(0, 2));
  EXPECT_TRUE(machine.is_local(3, 1));
  EXPECT_FALSE(machine.is_local(0, 1));
  EXPECT_FALSE(machine.is_local(0, 4)) << "it is the whole machine's";
  EXPECT_EQ(machine.distance(0, 1), 23u);
  EXPECT_NE(machine.objects()[1].label.find("(P#0, 16 GB) + NUMANode L#1 (P#2, 4.0 GB)"),
            std::string::npos)
      << machine.objects()[1].label;
}

TEST(topology, nodes_of_which_nobody_tells_are_unknown) {
  const topology machine = topology::synthetic("package:2 [numa] [numa] core:2 pu:1");
  expect_well_formed(machine);
  EXPECT_EQ(to_string(machine.memory_nodes()), "0-3");
  EXPECT_EQ(machine.numa_nodes().size(), 2u);
  EXPECT_EQ(machine.units()[3].numa, 2u);
  EXPECT_TRUE(machine.is_local(2, 3));
  EXPECT_EQ(machine.distance(2, 2), 10u);
  EXPECT_FALSE(machine.distance(2, 3));
  EXPECT_THROW((void)machine.distance(2, 4), pleat::usage_error);
  EXPECT_THROW((void)machine.is_local(9, 0), pleat::usage_error);
}

TEST(topology, disallowed_pus_are_seen_and_counted) {
  const topology machine = topology::xml(data("restricted.xml"));
  EXPECT_EQ(machine.cores(), 4u);
  EXPECT_EQ(machine.allowed_cores(), 2u);
  EXPECT_FALSE(machine.units()[0].allowed);
  EXPECT_TRUE(machine.units()[2].allowed);
  ASSERT_EQ(machine.restrictions().size(), 1u);
  EXPECT_EQ(machine.restrictions()[0].cause, pleat::restriction::by::cpuset);
  EXPECT_EQ(machine.summary(), "4 cores, 2 allowed by cpuset");
}

TEST(topology, dry_runs_cannot_be_bound) {
  EXPECT_FALSE(topology::synthetic("core:2").bindable());
  EXPECT_FALSE(topology::xml(data("uneven.xml")).bindable());
}

TEST(topology, bad_descriptions_are_usage_errors_that_name_them) {
  for (const char* const text : {"",
                                 " ",
                                 "core",
                                 "foo:2",
                                 "core:0",
                                 "core:-1",
                                 "machine:2 core:2",
                                 "core:2 core",
                                 "x",
                                 "core:100000 pu:100000",
                                 "core:99999999999999999999",
                                 "core:0x4000",
                                 "pu:020000 (memory=1)",
                                 "8192",
                                 "2(memory=1)8192",
                                 "4096 1 1 1 1",
                                 "64[numa]64[numa]64",
                                 "group3:16384 pu:1",
                                 "pu:1(indexes=4000000000)",
                                 "numa:2(memory=1GB indexes=0,65536) pu:2"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW((void)topology::synthetic(text), pleat::usage_error);
    EXPECT_NE(message_of([&] { (void)topology::synthetic(text); }).find(text), std::string::npos);
  }
}

TEST(topology, unreadable_xml_is_an_environment_error) {
  EXPECT_THROW((void)topology::xml("/nowhere/at/all.xml"), pleat::environment_error);
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("pleat-" + std::to_string(getpid()) + ".xml");
  std::ofstream(file) << "<html>not a topology</html>\n";
  EXPECT_THROW((void)topology::xml(file), pleat::environment_error);
  EXPECT_NE(message_of([&] { (void)topology::xml(file); }).find(file.string()), std::string::npos);
  std::filesystem::remove(file);
}

TEST(topology, host_is_this_machine_read_once) {
  std::vector<const pleat::processing_unit*> seen(8);
  std::vector<std::thread> threads;
  for (auto& first : seen)
    threads.emplace_back([&first] { first = topology::host().units().data(); });
  for (auto& thread : threads) thread.join();
  for (const auto* const first : seen) EXPECT_EQ(first, seen[0]);
  expect_well_formed(topology::host());
  EXPECT_TRUE(topology::host().bindable());
}

TEST(topology, host_allows_what_the_kernel_allows_this_thread) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const topology machine = topology::load_host();
  for (const auto& unit : machine.units())
    if (unit.allowed) {
      EXPECT_TRUE(CPU_ISSET(unit.pu, &before));
    }
  EXPECT_EQ(machine.allowed_pus(), static_cast<unsigned>(CPU_COUNT(&before)));

  unsigned pu = 0;
  while (!CPU_ISSET(pu, &before)) ++pu;
  CPU_ZERO(&one);
  CPU_SET(pu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const topology pinned = topology::load_host();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(pinned.cores(), machine.cores());
  EXPECT_EQ(pinned.allowed_pus(), 1u);
  EXPECT_TRUE(pinned.units()[*pinned.find_pu(pu)].allowed);
  if (machine.allowed_pus() > 1) {
    ASSERT_FALSE(pinned.restrictions().empty());
    EXPECT_EQ(pinned.restrictions().back().cause, pleat::restriction::by::affinity);
    EXPECT_NE(pinned.summary().find("by affinity"), std::string::npos);
  }
}

TEST(topology, index_lists_read_like_cpusets) {
  EXPECT_EQ(pleat::to_index_list({}), "");
  EXPECT_EQ(pleat::to_index_list(std::vector<unsigned>{3}), "3");
  EXPECT_EQ(pleat::to_index_list(std::vector<unsigned>{0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

}  // namespace topology_test
