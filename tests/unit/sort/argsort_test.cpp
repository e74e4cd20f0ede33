// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "sorted_values.hpp"

namespace argsort_test {

template <class T> class argsort_of : public testing::Test {};
using numbers = testing::Types<float, std::uint64_t>;  // long double: argsort_views
TYPED_TEST_SUITE(argsort_of, numbers);

TYPED_TEST(argsort_of, numbers_equals_a_stable_sort_of_indices) {
  using T = TypeParam;
  auto machine = strict_machine(2);
  for (const bool few : {false, true}) {
    for_all([&](std::size_t n, std::size_t vps) {
      std::mt19937_64 random(n);
      std::vector<T> keys(n);
      for (T& key : keys) {
        const std::uint64_t value = few ? random() % 5 : random();
        key = static_cast<T>(static_cast<std::int64_t>(value) - (few ? 2 : 0));
        if constexpr (std::is_floating_point_v<T>) {
          if (few && key == 0 && value % 2 == 0) key = -key;
          if (few && random() % 9 == 0) key = std::numeric_limits<T>::quiet_NaN();
          if (few && random() % 9 == 0) key = -std::numeric_limits<T>::infinity();
        }
      }
      std::vector<std::size_t> expected(n);
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      const auto nan_last = [&](std::size_t a, std::size_t b) {
        return keys[a] < keys[b] || (keys[b] != keys[b] && keys[a] == keys[a]);
      };
      std::stable_sort(expected.begin(), expected.end(), nan_last);
      ASSERT_EQ(pleat::argsort(machine, keys, {}, {}, with(vps)), expected);
      std::vector<std::uint16_t> shorter(n);
      pleat::argsort_to(machine, keys, shorter, std::greater<>(), {}, with(vps));
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      std::stable_sort(expected.begin(), expected.end(), [&](std::size_t a, std::size_t b) {
        return keys[b] < keys[a] || (keys[b] != keys[b] && keys[a] == keys[a]);
      });
      ASSERT_TRUE(std::ranges::equal(shorter, expected)) << "descending";
    });
  }
}

TEST(argsort, of_strings_and_projections_is_stable) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    const auto strings = make_strings(n, 0);
    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0u);
    std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return strings[i]; });
    ASSERT_EQ(pleat::argsort<std::uint32_t>(machine, strings, {}, {}, with(vps)), expected);
    std::iota(expected.begin(), expected.end(), 0u);
    std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return strings[i].size(); });
    ASSERT_EQ(pleat::argsort<std::uint32_t>(machine, strings, {}, &std::string::size, with(vps)),
              expected);
  });
}

TEST(argsort, refuses_what_cannot_hold_the_indices) {
  pleat::machine machine;
  std::vector<std::uint32_t> keys(300);
  std::vector<std::uint8_t> bytes(300);
  EXPECT_THROW(pleat::argsort_to(machine, keys, bytes), pleat::usage_error);
  std::vector<std::uint32_t> few(299);
  EXPECT_THROW(pleat::argsort_to(machine, keys, few), pleat::usage_error);
  EXPECT_THROW(pleat::argsort_to(machine, keys, keys), pleat::usage_error);
  EXPECT_THROW(static_cast<void>(pleat::argsort(machine, keys, {}, {}, with(0))),
               pleat::usage_error);
  std::vector<std::uint8_t> all(256);
  pleat::argsort_to(machine, std::span(keys).first(256), all);
  EXPECT_EQ(all.back(), 255);
}

TEST(sort_by_key, takes_values_of_any_type_along) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    const auto records = make_records(n, 40);
    auto expected = records;
    std::ranges::stable_sort(expected, {}, &record::key);
    std::vector<double> keys;
    std::vector<std::uint8_t> short_keys;
    std::vector<std::string> values;
    std::deque<std::unique_ptr<std::uint32_t>> owners;
    for (const record& r : records) {
      keys.push_back(r.key / 7.0);
      short_keys.push_back(static_cast<std::uint8_t>(r.key + 128));
      values.push_back("the " + std::to_string(r.id) + " of a string on the heap");
      owners.push_back(std::make_unique<std::uint32_t>(r.id));
    }
    pleat::sort_by_key(machine, keys, values, {}, with(vps));
    pleat::sort_by_key(machine, short_keys, owners, {}, with(vps));
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(keys[i], expected[i].key / 7.0);
      ASSERT_EQ(values[i], "the " + std::to_string(expected[i].id) + " of a string on the heap");
      ASSERT_EQ(short_keys[i], static_cast<std::uint8_t>(expected[i].key + 128));
      ASSERT_EQ(*owners[i], expected[i].id);
    }
    pleat::sort_by_key(machine, values, keys, std::greater<>(), with(vps));
    ASSERT_TRUE(std::ranges::is_sorted(values, std::greater<>()));
  });
  std::vector<int> keys(4), values(3);
  EXPECT_THROW(pleat::sort_by_key(machine, keys, values), pleat::usage_error);
}

TEST(argsort, takes_options_behind_the_comparator_or_the_projection) {
  struct item {
    int key;
  };
  const std::vector<item> items{{3}, {1}, {2}};
  const std::vector<int> keys{3, 1, 2};
  const std::vector<std::size_t> order{1, 2, 0};
  std::vector<std::size_t> indices(3);
  EXPECT_EQ(pleat::argsort(keys, {}, {.vps = 2}), order);
  EXPECT_EQ(pleat::argsort(items, {}, &item::key, {.vps = 2}), order);
  pleat::argsort_to(keys, indices);
  EXPECT_EQ(indices, order);
  pleat::argsort_to(items, indices, std::greater<>(), &item::key, {.vps = 2});
  EXPECT_EQ(indices, (std::vector<std::size_t>{0, 2, 1}));
  auto sorted = keys;
  auto moved = items;
  EXPECT_EQ(pleat::sort(sorted, {}, {.vps = 2}), sorted.end());
  pleat::stable_sort(moved.begin(), moved.end(), {}, &item::key, {.vps = 2});
  EXPECT_EQ(sorted, (std::vector{1, 2, 3}));
  EXPECT_EQ(moved.front().key, 1);
}

}  // namespace argsort_test
