// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/caches.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/topology.hpp>

#include "in_child.hpp"
#include "machines.hpp"
#include "unit/message_of.hpp"

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

// Tells whether a fresh process counts on that many bytes.
bool counts_on(const char* variable_says, std::size_t bytes) {
  const variable cache("PLEAT_CACHE", variable_says);
  return in_child([&] { return pleat::detail::cache_bytes() == bytes ? 0 : 1; }) == 0;
}

TEST(caches, a_variable_says_how_much_a_process_may_count_on) {
  EXPECT_TRUE(counts_on("12345", 12345));
  EXPECT_TRUE(counts_on("0", 0));
  EXPECT_TRUE(counts_on("5K", 5 * 1024));
  EXPECT_TRUE(counts_on("7M", 7 * mebi));
  EXPECT_TRUE(counts_on("3G", 3 * 1024 * mebi));
  const std::size_t told = topology::host().cache_bytes();
  EXPECT_TRUE(counts_on(nullptr, told != 0 ? told : 32 * mebi));
}

TEST(caches, machines_refuse_what_is_no_size) {
  for (const char* text :
       {"many", "5 M", "5m", "-1", "1.5M", "99999999999999999999", "99999999999G", "M"}) {
    const variable cache("PLEAT_CACHE", text);
    const std::string what = message_of([] { const pleat::machine m({.processors = 1}); });
    EXPECT_EQ(what, "PLEAT_CACHE: \"" + std::string(text) +
                        "\" is no size: give bytes, or a number with K, M or G as in 32M");
  }
}

}  // namespace caches_test
