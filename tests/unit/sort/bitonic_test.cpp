// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/bitonic.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "strict_machine.hpp"

namespace bitonic_test {

std::vector<std::uint32_t> random_keys(std::size_t n, std::uint32_t distinct) {
  std::mt19937 random(static_cast<std::uint32_t>(n));
  std::vector<std::uint32_t> keys(n);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random()) % distinct;
  return keys;
}

TEST(bitonic_sort, sorts_any_power_of_two) {
  for (const unsigned workers : {1u, 2u, 3u}) {
    pleat::machine on = strict_machine(workers);
    for (std::size_t v = 1; v <= 2048; v *= 2) {
      for (const std::uint32_t distinct : {~0u, 3u, 1u}) {
        std::vector<std::uint32_t> keys = random_keys(v, distinct);
        std::vector<std::uint32_t> sorted = keys;
        std::sort(sorted.begin(), sorted.end());
        pleat::bitonic_sort(on, keys);
        ASSERT_EQ(keys, sorted) << v << " keys, " << workers << " workers";
      }
    }
  }
}

TEST(bitonic_sort, sorts_every_sequence_of_zeros_and_ones) {
  pleat::machine on = strict_machine(1);
  constexpr std::size_t v = 8;
  for (unsigned bits = 0; bits < 1u << v; ++bits) {
    std::array<char, v> keys{};
    for (std::size_t i = 0; i < v; ++i) keys[i] = static_cast<char>(bits >> i & 1u);
    pleat::bitonic_sort(on, keys);
    ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end())) << bits;
  }
}

TEST(bitonic_sort, takes_no_coarser_barrier_than_partners_need) {
  pleat::machine on = strict_machine(1);
  for (std::size_t v = 2; v <= 512; v *= 2) {
    std::vector<std::uint32_t> keys = random_keys(v, ~0u);
    const pleat::run_report report = pleat::bitonic_sort(on, keys);
    std::uint64_t supersteps = 0;
    for (unsigned label = 0; label < report.supersteps.size(); ++label) {
      EXPECT_EQ(report.supersteps[label], label + 1);
      supersteps += report.supersteps[label];
    }
    EXPECT_EQ(report.messages, supersteps * v);
  }
}

TEST(bitonic_sort, refuses_numbers_that_are_no_power_of_two) {
  pleat::machine on = strict_machine(2);
  for (const std::size_t v : {3, 37, 1000}) {
    std::vector<std::uint32_t> keys = random_keys(v, ~0u);
    const std::vector<std::uint32_t> before = keys;
    try {
      pleat::bitonic_sort(on, keys);
      FAIL() << "accepted";
    } catch (const pleat::usage_error& failure) {
      EXPECT_NE(std::string(failure.what()).find(std::to_string(v)), std::string::npos);
    }
    EXPECT_EQ(keys, before);
  }
  std::vector<int> none;
  EXPECT_EQ(pleat::bitonic_sort(on, none).vps, 0u);
}

TEST(bitonic_sort, as_a_step_of_a_program_refuses_them_too) {
  pleat::machine on = strict_machine(1);
  const auto program = [](pleat::vp& me) -> pleat::task<> {
    std::size_t key = me.size() - me.rank();
    pleat::task<> step = pleat::bitonic_sort(me, key);
    co_await std::move(step);
    if (key != me.rank() + 1) throw std::logic_error("not sorted");
  };
  EXPECT_NO_THROW(on.run(64, program));
  try {
    on.run(37, program);
    FAIL() << "accepted";
  } catch (const pleat::vp_failed& failure) {
    EXPECT_THROW(failure.rethrow_cause(), pleat::usage_error);
  }
}

TEST(bitonic_sort, leaves_the_keys_alone_if_the_order_throws) {
  pleat::machine on = strict_machine(2);
  std::vector<std::uint32_t> keys = random_keys(64, ~0u);
  const std::vector<std::uint32_t> before = keys;
  const std::uint32_t cursed = keys[40];
  EXPECT_THROW(pleat::bitonic_sort(on, keys,
                                   [cursed](std::uint32_t a, std::uint32_t b) {
                                     if (a == cursed || b == cursed) throw std::domain_error("it");
                                     return a < b;
                                   }),
               std::domain_error);
  EXPECT_EQ(keys, before);
}

TEST(bitonic_sort, keeps_all_keys_in_orders_that_are_none_but_answer_alike_each_time) {
  using key = std::uint32_t;
  pleat::machine on = strict_machine(2);
  const std::function<bool(key, key)> orders[] = {
      [](key, key) { return true; },                                // all before all
      [](key a, key b) { return a <= b; },                          // before itself
      [](key a, key b) { return (b - a) % 3 == 1; },                // circular
      [](key a, key b) { return ((a * 31) ^ (b * 17)) % 2 == 1; },  // as good as random
  };
  for (const auto& less : orders) {
    for (const std::size_t n : {2, 16, 256}) {
      std::vector<key> keys = random_keys(n, 100);
      std::vector<key> before = keys;
      pleat::bitonic_sort(on, keys, less);
      std::sort(keys.begin(), keys.end());
      std::sort(before.begin(), before.end());
      EXPECT_EQ(keys, before);
    }
  }
}

TEST(bitonic_sort, sorts_on_the_default_machine) {
  std::vector<std::uint32_t> keys = random_keys(64, ~0u);
  std::vector<std::uint32_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  pleat::bitonic_sort(keys, std::greater<>());
  EXPECT_EQ(keys, sorted);
}

}  // namespace bitonic_test
