// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/machine.hpp>

#include "key_shapes.hpp"

// Records of a few bytes sorted by a number, in sizes at which they are spread over buckets.
namespace sort_records_test {

constexpr std::size_t vp_counts[] = {1, 2, 3, 7};
constexpr std::size_t sizes[] = {65, 4097, 24000};

template <class K, std::size_t Bytes> struct record {
  K key;
  std::uint32_t rest[(Bytes - sizeof(K)) / 4];  // the first tells who it is

  friend bool operator==(const record&, const record&) = default;
};
template <class K> struct record<K, sizeof(K)> {
  K key;
  friend bool operator==(const record&, const record&) = default;
};

template <class R> std::vector<R> records_of(const key_shape& shape, std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<R> records(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    using K = decltype(R::key);
    const std::uint64_t word = shape.at(random(), i);
    if constexpr (std::floating_point<K>)
      records[i].key = static_cast<K>(static_cast<double>(word) * 0x1p-60 - 8);
    else
      records[i].key = static_cast<K>(word >> (64 - 8 * sizeof(K)));
    if constexpr (sizeof(R) > sizeof(K))
      for (auto& part : records[i].rest)
        part = i + static_cast<std::uint32_t>(&part - records[i].rest);
  }
  return records;
}

template <class R> void sort_by_key_on_any_number_of_vps() {
  pleat::machine machine({.processors = 2});
  bool descending = false;
  for (const std::size_t vps : vp_counts) {
    for (const std::size_t n : sizes) {
      for (const key_shape& shape : key_shapes) {
        SCOPED_TRACE(std::string(shape.name) + ", " + std::to_string(n) + " records, " +
                     std::to_string(vps) + " VPs");
        auto records = records_of<R>(shape, n);
        auto expected = records;
        descending = !descending;
        if (descending) {
          std::ranges::stable_sort(expected, std::greater<>(), &R::key);
          pleat::stable_sort(machine, records, std::greater<>(), &R::key, {.vps = vps});
        } else {
          std::ranges::stable_sort(expected, {}, &R::key);
          pleat::sort(machine, records, {}, [](R& r) -> decltype(R::key)& { return r.key; },
                      {.vps = vps});  // pleat's sort by a number happens to be stable
        }
        ASSERT_EQ(records, expected);
      }
    }
  }
}

TEST(sort_records, of_all_sizes_and_kinds_of_keys) {
  sort_by_key_on_any_number_of_vps<record<std::uint32_t, 4>>();
  sort_by_key_on_any_number_of_vps<record<float, 12>>();
  sort_by_key_on_any_number_of_vps<record<std::uint64_t, 16>>();
  sort_by_key_on_any_number_of_vps<record<std::int64_t, 64>>();
}

TEST(sort_records, in_any_range_and_by_any_projection) {
  pleat::machine machine({.processors = 2});
  std::mt19937_64 random(1);
  std::deque<std::pair<std::int64_t, std::int64_t>> pairs(30000);
  for (auto& p : pairs) p = {random() % 1000, random()};
  auto expected = pairs;
  const auto difference = [](const auto& p) { return p.first - p.second % 10; };  // of a value
  std::ranges::stable_sort(expected, {}, difference);
  for (const std::size_t vps : vp_counts) {
    auto sorted = pairs;
    pleat::stable_sort(machine, sorted, {}, difference, {.vps = vps});
    ASSERT_EQ(sorted, expected);
  }
  std::vector<std::int32_t> numbers(30000);
  for (auto& x : numbers) x = static_cast<std::int32_t>(random());
  auto falling = numbers;
  std::ranges::sort(falling, std::greater<>());
  pleat::sort(machine, numbers, {}, [](std::int32_t x) { return -std::int64_t{x}; });
  ASSERT_EQ(numbers, falling);
}

TEST(sort_records, are_all_there_after_an_exception_of_the_projection) {
  pleat::machine machine({.processors = 2});
  using R = record<std::uint32_t, 8>;
  for (const std::size_t vps : vp_counts) {
    for (const std::int64_t calls : {0, 10, 11, 20000, 31000, 31001, 45000, 45001, 60000, 75000}) {
      // Even ones, and those that are gathered while they are counted, or nearly.
      const auto original = records_of<R>(key_shapes[calls % 3 == 0 ? 0 : calls % 3 + 3], 30000);
      auto records = original;
      std::atomic<std::int64_t> left = calls;
      const auto throwing = [&left](const R& r) {
        if (left.fetch_sub(1) == 0) throw std::runtime_error("no key");
        return r.key;
      };
      try {
        pleat::sort(machine, records, {}, throwing, {.vps = vps});
      } catch (const std::runtime_error& thrown) {
        ASSERT_STREQ(thrown.what(), "no key");
      }
      const auto who = [](const R& r) { return r.rest[0]; };
      std::ranges::sort(records, {}, who);
      ASSERT_EQ(records, original) << vps << " VPs, " << calls << " calls";
    }
  }
}

TEST(sort_records, are_all_there_if_the_projection_contradicts_itself) {
  pleat::machine machine({.processors = 2});
  using R = record<std::uint32_t, 8>;
  const auto original = records_of<R>(key_shapes[0], 30000);
  for (const std::size_t vps : vp_counts) {
    auto records = original;
    std::atomic<std::uint32_t> calls = 0;
    pleat::sort(machine, records, {}, [&calls](const R&) { return calls++ * 2654435761U; },
                {.vps = vps});
    std::ranges::sort(records, {}, [](const R& r) { return r.rest[0]; });
    ASSERT_EQ(records, original);
    // Few words, but for one that is another when it is read again.
    records = original;
    calls = 0;
    const auto mostly_few = [&calls](const R&) {
      const std::uint32_t call = ++calls;
      return call == 20000 ? 12345u : call % 2;
    };
    pleat::sort(machine, records, {}, mostly_few, {.vps = vps});
    std::ranges::sort(records, {}, [](const R& r) { return r.rest[0]; });
    ASSERT_EQ(records, original);
  }
}

/// The values are where a stable sort of pairs has them.
template <class K, class V> void sort_keys_and_values() {
  pleat::machine machine({.processors = 2});
  for (const std::size_t vps : vp_counts) {
    for (const std::size_t n : sizes) {
      for (const key_shape& shape : key_shapes) {
        std::mt19937_64 random(n);
        std::vector<std::pair<K, V>> expected(n);
        for (std::size_t i = 0; i < n; ++i)
          expected[i] = {static_cast<K>(shape.at(random(), i) >> (64 - 8 * sizeof(K))),
                         static_cast<V>(i)};
        std::vector<K> keys(n);
        std::vector<V> values(n);
        std::ranges::transform(expected, keys.begin(), &std::pair<K, V>::first);
        std::ranges::transform(expected, values.begin(), &std::pair<K, V>::second);
        std::ranges::stable_sort(expected, {}, &std::pair<K, V>::first);
        pleat::sort_by_key(machine, keys, values, std::less<>(), {.vps = vps});
        ASSERT_TRUE(std::ranges::equal(keys, expected, {}, {}, &std::pair<K, V>::first));
        ASSERT_TRUE(std::ranges::equal(values, expected, {}, {}, &std::pair<K, V>::second))
            << shape.name << ", " << n << ", " << vps << " VPs";
      }
    }
  }
}

TEST(sort_by_key, of_words_and_words_of_other_lengths) {
  sort_keys_and_values<std::uint64_t, std::uint32_t>();
  sort_keys_and_values<std::int16_t, std::uint64_t>();
}

}  // namespace sort_records_test
