// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/error.hpp>

#include "random_rounds.hpp"
#include "sorted_values.hpp"

// Keys that exist only while they are asked for: elements of views, values of projections.

namespace argsort_views_test {

std::vector<int> random_numbers(dice& random, std::size_t n) {
  std::vector<int> numbers(n);
  const std::size_t distinct = random.one_of({2, 100, 1 << 20});
  for (int& x : numbers) x = static_cast<int>(random(distinct)) - 50;
  return numbers;
}

template <class Keys> std::vector<std::size_t> stable_order(const Keys& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return keys[i] < keys[j]; });
  return order;
}

template <class Made> void expect_order_of_made_keys(const Made& made) {
  auto machine = strict_machine(2);
  random_rounds(15, [&](dice& random) {
    const auto numbers = random_numbers(random, random.size(6000));
    const auto view = numbers | std::views::transform(made);
    std::vector<std::remove_cvref_t<decltype(view[0])>> keys(view.begin(), view.end());
    const auto expected = stable_order(keys);
    const auto options = with(random.one_of<std::size_t>({1, 2, 3, 7, 40}));
    ASSERT_EQ(pleat::argsort(machine, view, {}, {}, options), expected);
    ASSERT_EQ(pleat::argsort(machine, numbers, {}, made, options), expected);
  });
}

std::string long_text(int x) { return std::string(30, 'c') + std::to_string(x); }

TEST(argsort_views, numbers_made_on_the_way) {
  expect_order_of_made_keys([](int x) { return 1.0 / (x + 0.5); });
}
TEST(argsort_views, pairs_made_on_the_way) {
  expect_order_of_made_keys([](int x) { return std::pair(x % 3, long_text(x)); });
}

TEST(argsort_views, bits_and_counted_numbers) {
  auto machine = strict_machine(2);
  random_rounds(15, [&](dice& random) {
    const auto numbers = random_numbers(random, random.size(4000));
    const std::size_t n = numbers.size();
    const auto options = with(random.one_of<std::size_t>({1, 2, 5}));
    std::vector<bool> bits;
    for (const int x : numbers) bits.push_back(x % 2 != 0);
    ASSERT_EQ(pleat::argsort(machine, bits, {}, {}, options), stable_order(bits));
    const auto down = std::views::iota(0, static_cast<int>(n)) | std::views::reverse;
    std::vector<std::size_t> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = n - 1 - i;
    ASSERT_EQ(pleat::argsort(machine, down, {}, {}, options), expected);
  });
}

struct person {
  std::string name;
  [[nodiscard]] const std::string& called() const { return name; }
};

TEST(argsort_views, a_projection_may_refer_to_an_element_made_on_the_way) {
  auto machine = strict_machine(2);
  random_rounds(20, [&](dice& random) {
    const auto numbers = random_numbers(random, random.size(3000));
    const auto people = numbers | std::views::transform([](int x) { return person{long_text(x)}; });
    std::vector<std::string> names;
    for (const auto& one : people) names.push_back(one.name);
    const auto expected = stable_order(names);
    const auto options = with(random.one_of<std::size_t>({1, 2, 5}));
    ASSERT_EQ(pleat::argsort(machine, people, {}, &person::called, options), expected);
    const auto longer = [](const std::string& a, const std::string& b) { return a < b; };
    ASSERT_EQ(pleat::argsort(machine, people, longer, &person::name, options), expected);
  });
}

// ---------------------------------------------------------------- shared memory

/// Parts of one array of `size` may have an element in common, or not.
TEST(argsort_views, ranges_that_share_memory_are_refused_and_left_alone) {
  auto machine = strict_machine(2);
  random_rounds(100, [&](dice& random) {
    const std::size_t n = 1 + random(40), a = random(100), b = random(100);
    const bool shared = a < b + n && b < a + n;
    std::vector<int> array(140);
    for (int& x : array) x = static_cast<int>(random(1000));
    std::deque<int> queue(array.begin(), array.end());
    const auto at = [](auto& from, std::size_t i, std::size_t count) {
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(i);
      return std::ranges::subrange(first, first + static_cast<std::ptrdiff_t>(count));
    };
    const auto before = array;
    const auto expect = [&](const auto& call) {
      if (shared) {
        EXPECT_THROW(call(), pleat::usage_error);
      } else {
        EXPECT_NO_THROW(call());
      }
    };
    expect([&] { pleat::sort_by_key(machine, at(array, a, n), at(array, b, n)); });
    if (shared) {
      EXPECT_EQ(array, before);
    } else {
      EXPECT_TRUE(std::ranges::is_sorted(at(array, a, n)));
    }
    expect([&] { pleat::sort_by_key(machine, at(queue, a, n), at(queue, b, n)); });
    expect([&] { pleat::argsort_to(machine, at(array, a, n), at(array, b, n)); });
    expect([&] {
      pleat::argsort_to(machine, at(queue, a, n), at(queue, b, n) | std::views::reverse);
    });
  });
}

// ---------------------------------------------------------------- types and callables

/// Comparators and projections that want their arguments as std::sort passes them.
TEST(argsort_views, callables_may_take_references_to_what_is_not_const) {
  auto machine = strict_machine(2);
  auto records = make_records(5000, 1000);
  pleat::sort(
      machine, records, [](const std::int32_t& a, const std::int32_t& b) { return a < b; },
      [](record& r) -> std::int32_t& { return r.key; }, with(3));
  EXPECT_TRUE(std::ranges::is_sorted(records, {}, &record::key));
  pleat::sort(
      machine, records, [](record& a, record& b) { return a.id < b.id; }, with(3));
  EXPECT_TRUE(std::ranges::is_sorted(records, {}, &record::id));
  auto strings = make_strings(3000, 1);
  pleat::sort(
      machine, strings, [](std::string& a, std::string& b) { return a < b; }, with(2));
  EXPECT_TRUE(std::ranges::is_sorted(strings));
}

}  // namespace argsort_views_test
