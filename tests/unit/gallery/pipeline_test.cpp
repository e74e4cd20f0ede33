// SPDX-License-Identifier: Apache-2.0
#include "gallery/pipeline.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "evidence/gallery/paths_check.hpp"
#include "evidence/gallery/pipeline_check.hpp"
#include "strict_machine.hpp"

namespace pipeline_test {

using namespace gallery;
using namespace pleat::bench;

TEST(gallery_pipeline, every_step_is_as_a_serial_one) {
  auto machine = strict_machine(3);
  for (const std::size_t n : {1u, 2u, 5u, 1000u, 4001u})
    for (const map_size map :
         {map_size{.cells = 1, .districts = 1}, map_size{.cells = 37, .districts = 5}}) {
      const std::vector<house> made = made_houses(n, n);
      std::vector<house> houses = made;
      const std::vector<std::uint32_t> begins = sort_by_cell(machine, houses, map);
      ASSERT_TRUE(cells_right(made, houses, begins, map.cells));

      const std::vector<joint> unordered = join_neighbours(machine, houses, begins, map);
      ASSERT_EQ(unordered.size(), neighbours * n);
      ASSERT_TRUE(joints_right(houses, unordered, map.cells, 1 + n / 300));
      std::vector<joint> joints = unordered;
      sort_joints(machine, joints);
      ASSERT_TRUE(order_right(unordered, joints));
      ASSERT_TRUE(totals_right(joints, total_lengths(machine, joints)));

      ASSERT_TRUE(noise_right(begins, map.cells, 20, spread_noise(machine, begins, map, 20)));
      std::vector<float> ways = district_streets(machine, houses, joints, map);
      ASSERT_TRUE(streets_right(houses, joints, map.districts, ways));
      const std::vector<float> streets = ways;
      const std::size_t districts = std::size_t{map.districts} * map.districts;
      pleat::closure<pleat::min_plus>(machine,
                                      matrix(ways.data(), districts, districts, districts));
      ASSERT_TRUE(lengths_right(streets, districts, ways));
    }
}

}  // namespace pipeline_test
