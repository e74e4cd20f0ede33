// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/machine.hpp>

#include "sorted_values.hpp"

namespace sort_moved_test {

/// Tells whether both hold the same values in any order; std::is_permutation takes n² comparisons.
template <class T, class Projection = std::identity>
bool same_values(std::vector<T> a, std::vector<T> b, Projection by = {}) {
  std::ranges::sort(a, {}, by);
  std::ranges::sort(b, {}, by);
  return a == b;
}

TEST(stable_sort, keeps_equal_records_in_order) {
  auto machine = strict_machine(2);
  for (const std::int32_t distinct : {1, 3, 1000000}) {
    for_all([&](std::size_t n, std::size_t vps) {
      const auto records = make_records(n, distinct);
      const auto by_key = [](const record& a, const record& b) { return a.key < b.key; };
      auto expected = records;
      std::stable_sort(expected.begin(), expected.end(), by_key);
      auto sorted = records;
      pleat::stable_sort(machine, sorted, by_key, with(vps));
      ASSERT_EQ(sorted, expected);
      sorted = records;
      pleat::stable_sort(machine, sorted, {}, &record::key, with(vps));
      ASSERT_EQ(sorted, expected) << "by projection";
      sorted = records;
      pleat::stable_sort(machine, sorted, std::ranges::greater(), &record::key, with(vps));
      std::stable_sort(expected.begin(), expected.end(),
                       [](const record& a, const record& b) { return a.key > b.key; });
      ASSERT_EQ(sorted, expected) << "descending";
    });
  }
}

TEST(sort, of_pairs_of_integers_is_lexicographic) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    std::mt19937_64 random(n);
    std::vector<std::pair<std::int16_t, std::uint64_t>> pairs(n);
    for (auto& p : pairs) p = {static_cast<std::int16_t>(random() % 7 - 3), random() % 900};
    auto expected = pairs;
    std::ranges::sort(expected);
    auto sorted = pairs;
    pleat::sort(machine, sorted, {}, with(vps));
    ASSERT_EQ(sorted, expected);
    pleat::stable_sort(machine, sorted, std::greater<>(), with(vps));
    std::ranges::reverse(expected);
    ASSERT_EQ(sorted, expected);
  });
}

TEST(stable_sort, keeps_values_too_large_for_the_columns_in_order) {
  struct large {
    std::int32_t key;
    std::uint32_t id;
    std::array<char, 200> rest;
  };
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    const auto records = make_records(n, 7);
    std::vector<large> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = {records[i].key, records[i].id, {}};
    pleat::stable_sort(
        machine, values, [](int a, int b) { return a < b; }, &large::key, with(vps));
    auto expected = records;
    std::ranges::stable_sort(expected, {}, &record::key);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i].id, expected[i].id);
  });
}

TEST(sort, of_strings_equals_std_sort) {
  auto machine = strict_machine(2);
  for (int kind = 0; kind < 4; ++kind) {
    for_all([&](std::size_t n, std::size_t vps) {
      if (n > 2000 && kind != 1) return;
      const auto strings = make_strings(n, kind);
      auto expected = strings;
      std::ranges::sort(expected);
      auto sorted = strings;
      pleat::sort(machine, sorted, {}, with(vps));
      ASSERT_EQ(sorted, expected);
      pleat::sort(machine, sorted, {}, with(vps));
      ASSERT_EQ(sorted, expected) << "again";
      sorted = strings;
      pleat::sort(machine, sorted, std::greater<>(), with(vps));
      std::ranges::reverse(expected);
      ASSERT_EQ(sorted, expected) << "descending";
    });
  }
}

TEST(sort, moves_what_can_be_moved_only) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    const auto records = make_records(n, 1000);
    std::vector<std::unique_ptr<record>> owners;
    for (const record& r : records) owners.push_back(std::make_unique<record>(r));
    std::vector<const record*> pointees;
    for (const auto& owner : owners) pointees.push_back(owner.get());
    pleat::sort(
        machine, owners, [](const auto& a, const auto& b) { return a->key < b->key; }, with(vps));
    auto expected = records;
    std::ranges::stable_sort(expected, {}, &record::key);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_NE(owners[i], nullptr);
      ASSERT_EQ(*owners[i], expected[i]);
      ASSERT_EQ(owners[i].get(), pointees[expected[i].id]) << "the pointer itself, not a copy";
    }
  });
}

TEST(sort, takes_deques_and_iterators) {
  auto machine = strict_machine(2);
  const auto strings = make_strings(3001, 1);
  std::deque<std::string> deque(strings.begin(), strings.end());
  pleat::sort(machine, deque, {}, with(3));
  EXPECT_TRUE(std::ranges::is_sorted(deque));
  std::deque<double> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
  numbers[17] = std::numeric_limits<double>::quiet_NaN();
  pleat::sort(machine, numbers, std::greater<>(), with(2));
  EXPECT_TRUE(std::isnan(numbers.back()));
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end() - 1, std::greater<>()));
  std::vector<int> values{9, 5, 7, 1, 0};
  pleat::sort(machine, values.begin() + 1, values.end() - 1);
  EXPECT_EQ(values, (std::vector{9, 1, 5, 7, 0}));
  pleat::stable_sort(machine, values.begin(), values.end(), std::greater<>(), std::negate<>());
  EXPECT_EQ(values, (std::vector{0, 1, 5, 7, 9}));
}

TEST(sort, with_a_comparator_that_throws_loses_no_value) {
  auto machine = strict_machine(2);
  const auto strings = make_strings(3000, 1);
  auto expected = strings;
  std::ranges::sort(expected);
  const auto records = make_records(3000, 100);
  for (const std::size_t vps : {1, 2, 3, 8}) {
    for (const std::size_t at : {1, 2999, 20000, 35000, 39000}) {
      std::atomic<std::size_t> calls = 0;
      const auto throwing = [&](const auto& a, const auto& b) {
        if (++calls == at) throw std::domain_error("these cannot be compared");
        return a < b;
      };
      auto sorted = strings;
      try {
        pleat::sort(machine, sorted, throwing, with(vps));
        EXPECT_LT(calls, at);
      } catch (const std::domain_error&) {
        EXPECT_EQ(sorted, strings) << "strings have not been moved";
      }
      calls = 0;
      auto values = records;
      bool thrown = false;
      try {
        pleat::stable_sort(machine, values, throwing, &record::key, with(vps));
      } catch (const std::domain_error&) {
        thrown = true;
      }
      EXPECT_EQ(thrown, calls >= at);
      EXPECT_TRUE(same_values(values, records, &record::id));
    }
  }
}

struct stubborn {  // may refuse to be moved
  static inline std::atomic<std::int64_t> alive = 0;
  static inline std::atomic<std::int64_t> moves_left = 0;

  explicit stubborn(int v) : value(v) { ++alive; }
  stubborn(stubborn&& other) : value(std::exchange(other.value, -1)) {
    if (--moves_left == 0) {
      other.value = value;
      throw std::runtime_error("I stay");
    }
    ++alive;
  }
  stubborn& operator=(stubborn&& other) noexcept {
    value = std::exchange(other.value, -1);
    return *this;
  }
  ~stubborn() { --alive; }

  int value;
};

TEST(sort, with_a_move_constructor_that_throws_brings_all_back) {
  auto machine = strict_machine(2);
  for (const std::size_t vps : {1, 2, 3}) {
    for (const std::int64_t at : {1, 200, 999}) {
      {
        std::vector<stubborn> values;
        values.reserve(1000);
        for (int i = 0; i < 1000; ++i) values.emplace_back(i * 7919 % 1000);
        stubborn::moves_left = at;
        EXPECT_THROW(pleat::sort(machine, values, {}, &stubborn::value, with(vps)),
                     std::runtime_error);
        std::vector<int> left;
        for (const auto& v : values) left.push_back(v.value);
        std::ranges::sort(left);
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(left[static_cast<std::size_t>(i)], i);
        stubborn::moves_left = 0;
        pleat::sort(machine, values, {}, &stubborn::value, with(vps));
        EXPECT_TRUE(std::ranges::is_sorted(values, {}, &stubborn::value));
      }
      EXPECT_EQ(stubborn::alive, 0) << "as many destroyed as made";
    }
  }
}

TEST(sort, on_the_default_machine_does_as_std_ranges) {
  auto strings = make_strings(5000, 1);
  auto expected = strings;
  std::ranges::sort(expected);
  EXPECT_EQ(pleat::sort(strings), strings.end());
  EXPECT_EQ(strings, expected);
  auto records = make_records(100000, 50);
  auto sorted = records;
  std::ranges::stable_sort(sorted, std::greater<>(), &record::key);
  EXPECT_EQ(pleat::stable_sort(records, std::greater<>(), &record::key), records.end());
  EXPECT_EQ(records, sorted);
  EXPECT_EQ(pleat::sort(records.begin(), records.end(), {}, &record::id), records.end());
  EXPECT_TRUE(std::ranges::is_sorted(records, {}, &record::id));
  const auto order = pleat::argsort(records, {}, &record::key);
  EXPECT_TRUE(std::ranges::is_sorted(order, {}, [&](std::size_t i) { return records[i].key; }));
  std::vector<int> keys{3, 1, 2};
  std::vector<char> letters{'c', 'a', 'b'};
  pleat::sort_by_key(keys, letters);
  EXPECT_EQ(letters, (std::vector{'a', 'b', 'c'}));
}

}  // namespace sort_moved_test
