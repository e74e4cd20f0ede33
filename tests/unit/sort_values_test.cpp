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
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/detail/sanitizer.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

// Sorts of values that are more than a number: stable, by key, of indices, of what can be moved
// only; on every kind of path, by many numbers of VPs. Beside them stands the standard's stable
// sort.

namespace {

pleat::machine strict_machine(unsigned processors) {
  pleat::machine_options options;
  options.processors = processors;
  options.strict = true;
  return pleat::machine(options);
}

pleat::sort_options with(std::size_t vps) { return {.vps = vps}; }

constexpr std::array<std::size_t, 9> sizes{0, 1, 2, 3, 17, 64, 1009, 4096, 20011};
constexpr std::array<std::size_t, 7> vp_counts{1, 2, 3, 5, 6, 16, 64};

/// Calls property(n, vps) for all of them, and for n VPs where n is not too large.
template <class Property> void for_all(const Property& property) {
  for (const std::size_t n : sizes) {
    if (pleat::detail::sanitized && n > 4096) continue;
    for (const std::size_t vps : vp_counts) {
      SCOPED_TRACE(std::to_string(n) + " values, " + std::to_string(vps) + " VPs");
      property(n, vps);
      if (testing::Test::HasFatalFailure()) return;
    }
    if (n > 0 && n <= 64) property(n, n);
  }
}

struct record {
  std::int32_t key;
  std::uint32_t id;

  bool operator==(const record&) const = default;
};

std::vector<record> make_records(std::size_t n, std::int32_t distinct) {
  std::mt19937_64 random(n + static_cast<std::size_t>(distinct));
  std::vector<record> records(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto value = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(distinct));
    records[i] = {value - distinct / 2, i};
  }
  return records;
}

/// Strings on both sides of the small buffer, with equal ones, common prefixes and odd bytes.
std::vector<std::string> make_strings(std::size_t n, int kind) {
  std::mt19937_64 random(n);
  std::vector<std::string> strings(n);
  for (auto& s : strings) {
    switch (kind) {
      case 0:  // short, many equal, also empty ones
        s = std::string(random() % 3, static_cast<char>('a' + random() % 2));
        break;
      case 1:  // a common prefix longer than the word
        s = "https://example.org/" + std::to_string(random() % 5000);
        break;
      case 2:  // bytes beyond 127, zeros
        for (std::size_t i = random() % 12; i != 0; --i) s += static_cast<char>(random());
        if (random() % 4 == 0) s += '\0';
        break;
      default:  // long, differing at the end only
        s = std::string(40, 'x') + std::to_string(random() % 100);
        if (random() % 50 == 0) s = s.substr(0, random() % 40);
    }
  }
  return strings;
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

TEST(sort, by_projection_equals_the_standard_one) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    auto records = make_records(n, 50);
    auto expected = records;
    std::ranges::stable_sort(expected, {}, &record::key);
    pleat::sort(machine, records, {}, &record::key, with(vps));
    ASSERT_TRUE(std::ranges::equal(records, expected, {}, &record::key, &record::key));
    ASSERT_TRUE(std::ranges::is_permutation(records, expected));
  });
}

TEST(sort, of_strings_equals_std_sort) {
  auto machine = strict_machine(2);
  for (int kind = 0; kind < 4; ++kind) {
    for_all([&](std::size_t n, std::size_t vps) {
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
      EXPECT_TRUE(std::ranges::is_permutation(values, records));
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

template <class T> class argsort_of : public testing::Test {};
using numbers = testing::Types<std::int8_t, std::uint16_t, std::int32_t, float, std::uint64_t,
                               std::int64_t, double, long double>;
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
      const auto before = keys;
      if constexpr (std::is_same_v<T, long double>) {  // no word: in the order of a comparator
        const auto less = [](T a, T b) { return a < b || (b != b && a == a); };
        ASSERT_EQ(pleat::argsort(machine, keys, less, {}, with(vps)), expected);
      } else {
        ASSERT_EQ(pleat::argsort(machine, keys, {}, {}, with(vps)), expected);
        std::vector<std::uint16_t> shorter(n);
        pleat::argsort_to(machine, keys, shorter, std::greater<>(), {}, with(vps));
        std::iota(expected.begin(), expected.end(), std::size_t{0});
        std::stable_sort(expected.begin(), expected.end(), [&](std::size_t a, std::size_t b) {
          return keys[b] < keys[a] || (keys[b] != keys[b] && keys[a] == keys[a]);
        });
        ASSERT_TRUE(std::ranges::equal(shorter, expected)) << "descending";
      }
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
  EXPECT_THROW(pleat::sort(keys,
                           [](int a, int b) {
                             std::vector<int> other{2, 1};
                             pleat::sort(other);
                             return a < b;
                           }),
               pleat::usage_error);
}

}  // namespace
