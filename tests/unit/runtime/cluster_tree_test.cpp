// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/cluster_tree.hpp>

namespace cluster_tree_test {

using pleat::cluster_tree, pleat::parse_placement, pleat::place, pleat::topology;
using names = std::vector<std::string>;

topology uneven() { return topology::xml(std::filesystem::path(PLEAT_TEST_DATA) / "uneven.xml"); }

cluster_tree tree(const topology& machine, const char* policy = "compact",
                  std::optional<unsigned> processors = {}) {
  return {machine, place(machine, parse_placement(policy), processors)};
}

names objects(const cluster_tree& clusters, unsigned level) {
  names result;
  for (const auto& c : clusters.level(level)) result.push_back(c.object);
  return result;
}

bool inside(const topology& machine, std::size_t object, std::size_t ancestor) {
  while (object != ancestor && object != 0) object = machine.objects()[object].parent;
  return object == ancestor;
}

// Height of a border: the depth of the deepest object on both sides of it, less is higher.
unsigned border(const topology& machine, const pleat::placement& placed, std::size_t rank) {
  const auto leaf = [&](std::size_t r) {
    return machine.units()[*machine.find_pu(placed.processors[r].pu)].object;
  };
  return machine.objects()[machine.common_object(leaf(rank - 1), leaf(rank))].depth;
}

// Each cluster is two halves that later levels can still divide, cut at the highest border that
// allows this.
void expect_halves(const topology& machine, const pleat::placement& placed,
                   const cluster_tree& clusters, const pleat::cluster& c) {
  const auto halves = clusters.halves(c);
  const std::size_t most = std::size_t{1} << (clusters.labels() - c.level - 1);
  ASSERT_EQ(halves.size(), std::min<std::size_t>(c.size, 2));
  ASSERT_EQ(halves.front().first, c.first);
  ASSERT_LE(halves.front().size, most);
  ASSERT_EQ(halves.back().first + halves.back().size, c.first + c.size);
  ASSERT_LE(halves.back().size, most);
  if (c.size == 1) return;
  const std::size_t middle = halves.back().first;
  ASSERT_EQ(middle, c.first + halves.front().size);
  for (std::size_t at = c.first + 1; at < c.first + c.size; ++at) {
    const bool possible = at - c.first <= most && c.first + c.size - at <= most;
    EXPECT_TRUE(!possible || border(machine, placed, middle) <= border(machine, placed, at))
        << middle << " " << at;
  }
}

// The definition: clusters nested, in hardware objects that hold their PUs and as deep as that
// allows; the model's, by the leading bits, where p is a power of two.
void expect_model(const topology& machine, const pleat::placement& placed) {
  const cluster_tree clusters(machine, placed);
  const std::size_t p = placed.processors.size();
  ASSERT_EQ(clusters.processors(), p);
  unsigned width = 1;
  while ((std::size_t{1} << width) < p) ++width;
  ASSERT_EQ(clusters.labels(), width);
  std::size_t total = 0;
  for (unsigned i = 0; i <= width; ++i) {
    std::size_t next = 0;
    for (const auto& c : clusters.level(i)) {
      EXPECT_EQ(c.level, i);
      EXPECT_EQ(c.first, next);
      ASSERT_GT(c.size, 0u);
      next += c.size;
      std::size_t deepest = machine.units()[*machine.find_pu(placed.processors[c.first].pu)].object;
      for (std::size_t r = c.first; r < c.first + c.size; ++r) {
        EXPECT_TRUE(!std::has_single_bit(p) || r >> (width - i) == c.index);
        EXPECT_EQ(&clusters.cluster_of(i, r), &c);
        const auto& unit = machine.units()[*machine.find_pu(placed.processors[r].pu)];
        EXPECT_TRUE(inside(machine, unit.object, c.place));
        deepest = machine.common_object(deepest, unit.object);
      }
      EXPECT_EQ(&c - clusters.level(i).data(), static_cast<std::ptrdiff_t>(c.index));
      EXPECT_EQ(c.place, deepest);
      EXPECT_EQ(clusters.object_of({c.first, next}).name, c.object);
      if (i < width) expect_halves(machine, placed, clusters, c);
      EXPECT_EQ(c.object, machine.objects()[c.place].name);
    }
    EXPECT_EQ(next, p);
    total += clusters.level(i).size();
  }
  EXPECT_EQ(clusters.clusters().size(), total);
  EXPECT_EQ(clusters.level(0).size(), 1u);
  EXPECT_EQ(clusters.level(width).size(), p);
}

TEST(cluster_tree, is_the_models_for_every_shape_and_number_of_processors) {
  std::vector<topology> machines{uneven()};
  for (const char* const shape :
       {"numa:2 l3:2 core:4 pu:2", "pu:1", "core:6", "package:2 core:3", "core:12",
        "package:1 numa:1 l3:1 l2:1 core:2 pu:1", "group:2 numa:2 l3:3 core:2 pu:2"})
    machines.push_back(topology::synthetic(shape));
  for (const topology& machine : machines)
    for (const char* const policy : {"compact", "scatter", "compact/pu", "scatter/pu"})
      for (unsigned p = 1; p <= 24; ++p) {
        SCOPED_TRACE(machine.origin() + " " + policy + " " + std::to_string(p));
        expect_model(machine, place(machine, parse_placement(policy), p));
      }
}

TEST(cluster_tree, clusters_lie_in_packages_caches_and_cores_where_they_can) {
  using sizes = std::vector<std::vector<std::size_t>>;
  const struct {
    const char* shape;
    unsigned processors;
    sizes levels;  // but the last, of single processors
  } cases[] = {
      {"package:2 core:6", 12, {{12}, {6, 6}, {3, 3, 3, 3}, {2, 1, 2, 1, 2, 1, 2, 1}}},
      {"package:2 core:6", 11, {{11}, {6, 5}, {3, 3, 3, 2}, {2, 1, 2, 1, 2, 1, 1, 1}}},
      {"package:3 core:4", 12, {{12}, {8, 4}, {4, 4, 2, 2}, {2, 2, 2, 2, 1, 1, 1, 1}}},
      {"package:2 core:5", 10, {{10}, {5, 5}, {3, 2, 3, 2}, {2, 1, 1, 1, 2, 1, 1, 1}}},
      {"package:1 core:7", 7, {{7}, {4, 3}, {2, 2, 2, 1}}},
      {"core:12", 5, {{5}, {3, 2}, {2, 1, 1, 1}}},
      {"package:5 core:2", 10, {{10}, {6, 4}, {4, 2, 2, 2}, {2, 2, 1, 1, 1, 1, 1, 1}}},
      {"package:2 l3:3 core:2", 12, {{12}, {6, 6}, {4, 2, 4, 2}, {2, 2, 1, 1, 2, 2, 1, 1}}},
      // Four levels hold no 5 + 10: a half has at most 8.
      {"package:3 core:5", 15, {{15}, {8, 7}, {4, 4, 4, 3}, {2, 2, 2, 2, 2, 2, 2, 1}}},
      {"pu:1", 1, {{1}}},
  };
  for (const auto& one : cases) {
    const cluster_tree clusters = tree(topology::synthetic(one.shape), "compact", one.processors);
    ASSERT_EQ(clusters.labels(), one.levels.size()) << one.shape;
    for (unsigned i = 0; i < clusters.labels(); ++i) {
      std::vector<std::size_t> found;
      for (const auto& c : clusters.level(i)) found.push_back(c.size);
      EXPECT_EQ(found, one.levels[i]) << one.shape << ", level " << i;
    }
  }
}

TEST(cluster_tree, oversubscribed_processors_share_their_pu) {
  const cluster_tree clusters = tree(topology::synthetic("core:2"), "compact", 4u);
  EXPECT_EQ(objects(clusters, 1), (names{"PU L#0", "PU L#1"}));
  EXPECT_EQ(clusters.distance(0, 1), 0u);
  EXPECT_EQ(clusters.distance(1, 2), 1u);
}

TEST(cluster_tree, distance_is_the_height_of_the_common_object) {
  const cluster_tree clusters = tree(topology::synthetic("numa:2 l3:2 core:4 pu:2"), "compact/pu");
  EXPECT_EQ(clusters.distance(0, 0), 0u);
  EXPECT_EQ(clusters.distance(0, 1), 1u);
  EXPECT_EQ(clusters.distance(0, 2), 2u);
  EXPECT_EQ(clusters.distance(0, 8), 3u);
  EXPECT_EQ(clusters.distance(0, 16), 4u);
  EXPECT_EQ(clusters.common_object(0, 8).name, "NUMANode L#0");
}

TEST(cluster_tree, distance_is_an_ultrametric_even_on_uneven_hardware) {
  const cluster_tree clusters = tree(uneven(), "scatter/pu");
  const std::size_t p = clusters.processors();
  for (std::size_t a = 0; a < p; ++a)
    for (std::size_t b = 0; b < p; ++b) {
      EXPECT_EQ(clusters.distance(a, b), clusters.distance(b, a));
      EXPECT_EQ(clusters.distance(a, b) == 0, a == b);
      for (std::size_t c = 0; c < p; ++c)
        EXPECT_LE(clusters.distance(a, c),
                  std::max(clusters.distance(a, b), clusters.distance(b, c)));
    }
}

}  // namespace cluster_tree_test
