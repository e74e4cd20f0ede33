// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine_model.hpp>

namespace machine_model_test {

using pleat::machine_model, pleat::violated_condition;

constexpr unsigned most_levels = 64;

double members(unsigned levels, std::size_t i) {
  return std::ldexp(1.0, static_cast<int>(levels - i));
}

std::vector<machine_model> networks(unsigned levels) {
  return {pleat::uniform(levels, 2.5, 70), pleat::mesh_2d(levels), pleat::hypercube(levels),
          pleat::fat_tree(levels)};
}

TEST(machine_model, follows_the_law_of_its_network) {
  for (unsigned levels = 1; levels <= most_levels; ++levels) {
    const machine_model flat = pleat::uniform(levels, 2.5, 70);
    const machine_model mesh = pleat::mesh_2d(levels);
    const machine_model cube = pleat::hypercube(levels);
    const machine_model tree = pleat::fat_tree(levels);
    for (std::size_t i = 0; i < levels; ++i) {
      const double m = members(levels, i);
      EXPECT_EQ(flat.g[i], 2.5);
      EXPECT_EQ(flat.l[i], 70);
      EXPECT_NEAR(mesh.g[i] / std::sqrt(m), 1, 1e-12);
      EXPECT_EQ(mesh.l[i], mesh.g[i]);
      EXPECT_EQ(cube.g[i], 1);
      EXPECT_EQ(cube.l[i], std::log2(m));
      EXPECT_NEAR(tree.g[i] / std::cbrt(m), 1, 1e-12);
      EXPECT_EQ(tree.l[i], tree.g[i]);
    }
  }
}

TEST(machine_model, of_a_network_meets_the_conditions_of_the_theorem) {
  for (unsigned levels = 0; levels <= most_levels; ++levels) {
    for (const machine_model& model : networks(levels))
      EXPECT_EQ(violated_condition(model), std::nullopt) << model.name << " of " << levels;
  }
}

TEST(submachine, of_a_network_is_the_smaller_network) {
  const std::vector<machine_model> whole = networks(20);
  for (unsigned levels = 0; levels <= 20; ++levels) {
    const std::vector<machine_model> small = networks(levels);
    for (std::size_t k = 0; k < whole.size(); ++k) {
      const machine_model part = pleat::submachine(whole[k], levels);
      EXPECT_EQ(part.name, small[k].name);
      EXPECT_EQ(part.g, small[k].g);
      EXPECT_EQ(part.l, small[k].l);
    }
  }
}

TEST(violated_condition, names_the_first_larger_cluster_with_cheaper_messages) {
  EXPECT_EQ(violated_condition({"made up", {4, 2, 3, 5}, {40, 20, 3, 5}}),
            "g_1 = 2 is less than g_2 = 3");
}

TEST(violated_condition, names_the_first_larger_cluster_with_less_in_flight) {
  EXPECT_EQ(violated_condition({"made up", {4, 2, 1}, {40, 20, 11}}),
            "(l/g)_1 = 10 is less than (l/g)_2 = 11");
}

TEST(violated_condition, tells_of_the_coarsest_level_first) {
  const auto violation = violated_condition({"made up", {4, 4, 1, 2}, {1, 2, 1, 2}});
  EXPECT_EQ(violation, "(l/g)_0 = 0.25 is less than (l/g)_1 = 0.5");
}

TEST(violated_condition, takes_equal_values_as_they_are_written) {
  // 0.9/0.3 and 0.3/0.1 differ in the last place, either way round.
  EXPECT_EQ(violated_condition({"a", {0.3, 0.1}, {0.9, 0.3}}), std::nullopt);
  EXPECT_EQ(violated_condition({"b", {0.7, 0.1}, {2.1, 0.3}}), std::nullopt);
  EXPECT_EQ(violated_condition({"no latency", {2, 1}, {0, 0}}), std::nullopt);
}

TEST(violated_condition, sees_differences_beyond_rounding) {
  EXPECT_NE(violated_condition({"a", {1, 1.000001}, {1, 1}}), std::nullopt);
  EXPECT_NE(violated_condition({"b", {1, 1}, {1, 1.000001}}), std::nullopt);
}

}  // namespace machine_model_test
