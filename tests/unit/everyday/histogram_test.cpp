// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <ranges>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/histogram.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace histogram_test {

TEST(histogram, counts_what_is_in_each_bin) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const std::size_t bins : {1u, 3u, 64u, 1000u}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<std::uint32_t> x(n);
      for (auto& v : x) v = static_cast<std::uint32_t>(random());
      std::vector<std::size_t> expected(bins), counts(bins, 77);
      for (const auto v : x) ++expected[v % bins];
      pleat::histogram(
          machine, x, counts, [bins](std::uint32_t v) { return v % bins; }, with(vps));
      ASSERT_EQ(counts, expected);
    }
  });
}

TEST(histogram, takes_bytes_as_bins_and_views) {
  auto machine = strict_machine(2);
  const std::vector<std::uint8_t> bytes(1000, 200);
  std::deque<int> counts(256);
  pleat::histogram(machine, bytes, counts, {}, with(3));
  EXPECT_EQ(counts[200], 1000);
  std::vector<std::uint8_t> few(10);
  pleat::histogram(
      machine, std::views::iota(0, 1000), few, [](int i) { return i / 100; }, with(7));
  EXPECT_EQ(few, std::vector<std::uint8_t>(10, 100));
}

TEST(histogram, counts_the_bits_of_a_vector_of_bool) {
  auto machine = strict_machine(2);
  std::vector<bool> bits(1000);
  for (std::size_t i = 0; i < bits.size(); i += 3) bits[i] = true;
  std::vector<int> counts(2);
  pleat::histogram(machine, bits, counts, {}, with(3));
  EXPECT_EQ(counts, (std::vector<int>{666, 334}));
}

}  // namespace histogram_test
