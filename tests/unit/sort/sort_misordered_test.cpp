// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>

#include "random_rounds.hpp"
#include "sorted_values.hpp"

// Comparators that are no strict weak orders: the result is in some order, but it holds what the
// range held, and nothing beside the range is written (the address sanitizer sees what is read).

namespace sort_misordered_test {

enum class kind { not_strict, nan, random, always, never, circular, half };

struct odd_order {
  kind which;
  std::uint64_t seed;

  /// Asked by all VPs at once: what is random depends on where the arguments lie.
  template <class Key> bool answer(const Key& a, const Key& b, double x, double y) const {
    switch (which) {
      case kind::not_strict:
        return x <= y;
      case kind::nan:
        return (static_cast<long>(x) % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : x) < y;
      case kind::random: {
        thread_local std::uint64_t state = seed;
        state = state * 6364136223846793005U + 1442695040888963407U;
        return state >> 63U != 0;
      }
      case kind::always:
        return true;
      case kind::never:
        return false;
      case kind::circular:
        return (static_cast<long>(y) - static_cast<long>(x) + 3000) % 3 == 1;
      case kind::half:  // right for most
        return static_cast<long>(x + y) % 17 == 0 ? y < x : x < y;
    }
    return std::addressof(a) < std::addressof(b);
  }
};

template <std::size_t Bytes> struct block_of {
  std::int32_t key;
  std::uint32_t id;
  std::array<std::byte, Bytes - 8> rest;
};

template <class Sort> void expect_permutations(const Sort& sort) {
  auto machine = strict_machine(2);
  random_rounds(50, [&](dice& random) {
    std::size_t n = random.size(random(10) == 0 ? 40000 : 3000);
    std::size_t vps = random.one_of<std::size_t>({1, 1, 2, 2, 3, 7, 33, 64, 300});
    if (random(4) == 0) {  // the recursion of the model
      vps = std::size_t{1} << random(11);
      n = vps << random(3);
    }
    const auto which = static_cast<kind>(random(7));
    SCOPED_TRACE(std::to_string(n) + " values, " + std::to_string(vps) + " VPs, order " +
                 std::to_string(static_cast<int>(which)));
    std::vector<std::int32_t> keys(n);
    const std::size_t distinct = random.one_of({3, 500, 1 << 20});
    for (auto& key : keys) key = static_cast<std::int32_t>(random(distinct));
    sort(machine, keys, odd_order{which, random.word() | 1U}, with(vps));
  });
}

void expect_all_there(std::vector<std::uint32_t> ids) {
  std::sort(ids.begin(), ids.end());
  for (std::uint32_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i);
}

template <class T, bool Stable> void expect_values_kept() {
  expect_permutations([](auto& machine, const auto& keys, const odd_order& order,
                         const pleat::sort_options& options) {
    constexpr std::size_t guard = 64;
    const T fence{-1, 0xfefefefeU, {}};
    std::vector<T> values(keys.size() + 2 * guard, fence);
    const std::span<T> inside = std::span<T>(values).subspan(guard, keys.size());
    for (std::uint32_t i = 0; i < keys.size(); ++i) inside[i] = {keys[i], i, {}};
    const auto less = [&](const T& a, const T& b) { return order.answer(a, b, a.key, b.key); };
    if constexpr (Stable)
      pleat::stable_sort(machine, inside, less, options);
    else
      pleat::sort(machine, inside, less, options);
    std::vector<std::uint32_t> ids;
    for (const T& value : inside) {
      ASSERT_EQ(value.key, keys[value.id % keys.size()]);
      ids.push_back(value.id);
    }
    expect_all_there(ids);
    for (std::size_t i = 0; i < guard; ++i) {
      ASSERT_EQ(values[i].id, fence.id);
      ASSERT_EQ(values[values.size() - 1 - i].id, fence.id);
    }
  });
}

TEST(sort_misordered, values_of_16_bytes_are_kept) { expect_values_kept<block_of<16>, false>(); }
TEST(sort_misordered, values_of_64_bytes_sorted_stably_are_kept) {
  expect_values_kept<block_of<64>, true>();
}

TEST(sort_misordered, values_that_own_memory_are_kept_and_so_is_what_goes_with_keys) {
  expect_permutations([](auto& machine, const auto& keys, const odd_order& order,
                         const pleat::sort_options& options) {
    std::vector<std::unique_ptr<std::int32_t>> owned;
    for (const std::int32_t key : keys) owned.push_back(std::make_unique<std::int32_t>(key));
    std::vector<std::uint32_t> ids(keys.size());
    std::iota(ids.begin(), ids.end(), 0U);
    const auto less = [&](const auto& a, const auto& b) { return order.answer(a, b, *a, *b); };
    pleat::sort_by_key(machine, owned, ids, less, options);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_NE(owned[i], nullptr);
      ASSERT_EQ(*owned[i], keys[ids[i]]);
    }
    expect_all_there(ids);
    const auto number = [&](std::int32_t a, std::int32_t b) { return order.answer(a, b, a, b); };
    expect_all_there(pleat::argsort<std::uint32_t>(machine, keys, number, {}, options));
  });
}

// ---------------------------------------------------------------- orders that are right

TEST(sort_misordered, right_orders_are_sorted_by_whatever_number_of_VPs) {
  auto machine = strict_machine(2);
  random_rounds(30, [&](dice& random) {
    std::size_t n = random.size(20000), vps = 1 + random(random.one_of({8, 70, 600}));
    if (random(4) == 0) {
      vps = std::size_t{1} << random(11);
      n = vps << random(5);
    }
    SCOPED_TRACE(std::to_string(n) + " values, " + std::to_string(vps) + " VPs");
    auto records = make_records(n, random.one_of({3, 1000, 1 << 30}));
    std::atomic<std::size_t> asked{0};
    const auto less = [&asked](const record& a, const record& b) {
      asked.fetch_add(1, std::memory_order_relaxed);
      return a.key < b.key;
    };
    auto expected = records;
    std::stable_sort(expected.begin(), expected.end(), less);
    auto sorted = records;
    asked = 0;
    pleat::stable_sort(machine, sorted, less, with(vps));
    ASSERT_EQ(sorted, expected);
    // The recursion of the model sorts all keys again and again; all else is O(n log n).
    const bool literal = std::has_single_bit(vps) && std::has_single_bit(n) && n / vps < vps;
    if (!literal) {
      EXPECT_LE(asked.load(), 6 * n * std::bit_width(n) + 400000);
    }
    pleat::sort(machine, records, less, with(vps));
    ASSERT_TRUE(std::is_sorted(records.begin(), records.end(), less));
    std::sort(records.begin(), records.end(),
              [](const record& a, const record& b) { return a.id < b.id; });
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(records[i].id, i);
  });
}

TEST(sort_misordered, right_orders_are_sorted_from_backwards_and_nearly_backwards) {
  auto machine = strict_machine(2);
  const auto less = [](const record& a, const record& b) { return a.key < b.key; };
  for (const std::size_t n : {2, 3, 63, 64, 65, 66, 128, 129, 1000, 1024, 1025, 5000}) {
    for (const std::size_t vps : {1, 2, 3}) {
      for (const std::size_t equal :
           {n, n - 1, n / 2, std::size_t{1}}) {  // two neighbours, or none
        std::vector<record> records(n);
        for (std::size_t i = 0; i < n; ++i) {
          records[i].key = static_cast<decltype(record::key)>(2 * (n - i) + (i == equal ? 2 : 0));
          records[i].id = static_cast<std::uint32_t>(i);
        }
        auto expected = records;
        std::stable_sort(expected.begin(), expected.end(), less);
        auto stable = records;
        pleat::stable_sort(machine, stable, less, with(vps));
        ASSERT_EQ(stable, expected) << n << " values, " << vps << " VPs, " << equal;
        pleat::sort(machine, records, less, with(vps));
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(records[i].key, expected[i].key);
      }
    }
  }
}

}  // namespace sort_misordered_test
