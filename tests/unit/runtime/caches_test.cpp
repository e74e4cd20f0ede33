// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/topology.hpp>

#include "base/process_defaults.hpp"
#include "in_child.hpp"

namespace caches_test {

using pleat::topology;

constexpr std::size_t mebi = std::size_t{1} << 20;

topology read(const char* name) {
  return topology::xml((std::filesystem::path(PLEAT_TEST_DATA) / name).string());
}

TEST(caches, the_last_level_above_each_unit_counts_once) {
  EXPECT_EQ(read("uneven.xml").cache_bytes(), (16 + 16 + 32) * mebi);
  EXPECT_EQ(read("hybrid.xml").cache_bytes(), 24 * mebi) << "not the second level as well";
  EXPECT_EQ(topology::synthetic("l3:3(size=5MB) l2:2(size=1MB) core:2").cache_bytes(),
            15 * std::size_t{1000000});
  EXPECT_EQ(topology::synthetic("core:2 pu:2").cache_bytes(), 0u) << "nobody tells";
}

TEST(caches, of_the_host_are_what_a_process_counts_on) {
  const std::size_t told = topology::host().cache_bytes();
  const std::size_t bytes = told != 0 ? told : 32 * mebi;
  const auto counts_on_them = [&] {
    pleat::detail::defaults.cache_bytes = 0;
    return pleat::detail::cache_bytes() == bytes ? 0 : 1;
  };
  EXPECT_EQ(in_child(counts_on_them), 0);
}

}  // namespace caches_test
