// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>

#include "unit/every_target.hpp"

namespace sort_kernels_test {

using namespace pleat::detail::sorting;

class sort_kernels : public every_target {};
ON_EVERY_TARGET(sort_kernels);

/// f(U()) for every word.
template <class F> void for_every_word(F f) {
  f(std::uint8_t());
  f(std::uint16_t());
  f(std::uint32_t());
  f(std::uint64_t());
}

/// `values` 0: any; else that many different ones, the greatest and the least word among them.
template <class U>
std::vector<U> random_words(std::size_t n, std::uint64_t values, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<U> words(n);
  for (U& word : words) {
    const std::uint64_t r = random();
    word = static_cast<U>(values == 0 ? r : r % values - 1);
  }
  return words;
}

template <class U> std::vector<key_map<U>> all_maps() {
  std::vector<key_map<U>> maps{
      {}, {key_map<U>::sign}, {static_cast<U>(~U{0})}, {static_cast<U>(~key_map<U>::sign)}};
  if constexpr (sizeof(U) == 4) {
    maps.push_back(key_map_of<float>(false));
    maps.push_back(key_map_of<float>(true));
  }
  if constexpr (sizeof(U) == 8) {
    maps.push_back(key_map_of<double>(false));
    maps.push_back(key_map_of<double>(true));
  }
  return maps;
}

/// Bits of which many are NaNs, infinities and zeros, of both signs.
template <class U>
std::vector<U> random_bits(std::size_t n, const key_map<U>& map, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<U> bits = random_words<U>(n, 0, seed + 1);
  if (!map.floating) return bits;
  const auto infinity =
      static_cast<U>(~(key_map<U>{0, map.offset, true}.offset) ^ key_map<U>::sign);
  for (U& b : bits) {
    const auto sign = static_cast<U>(random() % 2 * key_map<U>::sign);
    switch (random() % 8) {
      case 0:
        b = sign;
        break;
      case 1:
        b = infinity | sign;
        break;
      case 2:
        b = static_cast<U>(infinity | sign | (random() % 3 + 1));
        break;
      default:
        break;
    }
  }
  return bits;
}

template <class U> std::vector<U> words_of(const std::vector<U>& bits, const key_map<U>& map) {
  std::vector<U> words(bits.size());
  std::ranges::transform(bits, words.begin(), [&](U b) { return map.to_word(b); });
  return words;
}
template <class U> std::vector<U> sorted(std::vector<U> words) {
  std::ranges::sort(words);
  return words;
}

TEST_P(sort_kernels, keys_ascend_unless_two_are_exchanged) {
  for_every_word([](auto u) {
    using U = decltype(u);
    for (const key_map<U>& map : all_maps<U>()) {
      for (const std::size_t n : {0, 1, 2, 40, 1200}) {
        const auto word = [&map](U bits) { return map.to_word(bits); };
        std::vector<U> keys = random_bits<U>(n, map, n);
        std::ranges::sort(keys, {}, word);
        ASSERT_TRUE(keys_ascend<U>(keys.data(), n, map)) << n;
        for (std::size_t i = 1; i < n; ++i) {
          std::swap(keys[i - 1], keys[i]);
          ASSERT_EQ(keys_ascend<U>(keys.data(), n, map), word(keys[i - 1]) == word(keys[i])) << i;
          std::swap(keys[i - 1], keys[i]);
        }
      }
    }
  });
}

TEST_P(sort_kernels, merge_takes_the_least_words_of_both) {
  for_every_word([](auto u) {
    using U = decltype(u);
    for (const std::size_t count : {merge_quantum, 2 * merge_quantum, 8 * merge_quantum}) {
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const std::uint64_t values = seed % 4 == 0 ? 0 : seed;
        const auto a = sorted(random_words<U>(count + merge_slack, values, seed));
        auto b = sorted(random_words<U>(count + merge_slack, values, seed + 100));
        if (seed % 5 == 1) std::ranges::fill(b, no_key<U>);  // all from one side
        std::vector<U> expected(a.size() + b.size());
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
        expected.resize(count);
        std::vector<U> out(count);
        const std::size_t from_a = merge_words(a.data(), b.data(), 1, count, out.data());
        ASSERT_EQ(out, expected);
        ASSERT_LE(from_a, count);
        // What it says it took is what it took: the rest holds nothing less.
        ASSERT_TRUE(from_a == 0 || a[from_a - 1] <= out.back());
        ASSERT_TRUE(from_a == count || b[count - from_a - 1] <= out.back());
        ASSERT_GE(a[from_a], out.back());
        ASSERT_GE(b[count - from_a], out.back());
      }
    }
  });
}

TEST_P(sort_kernels, merge_takes_every_second_word_alike) {
  for_every_word([](auto u) {
    using U = decltype(u);
    const std::size_t count = 2 * merge_quantum;
    const std::size_t held = count + merge_slack;
    auto words = random_words<U>(4 * held, 0, 9);
    std::sort(words.begin(), words.begin() + 2 * held);
    std::sort(words.begin() + 2 * held, words.end());
    std::vector<U> a(held), b(held), expected(count), out(count);
    gather_words(words.data(), 2, held, a.data());
    gather_words(words.data() + 2 * held, 2, held, b.data());
    const std::size_t from_a = merge_words(a.data(), b.data(), 1, count, expected.data());
    EXPECT_EQ(merge_words(words.data(), words.data() + 2 * held, 2, count, out.data()), from_a);
    EXPECT_EQ(out, expected);
  });
}

TEST_P(sort_kernels, merge_tree_merges_any_number_of_strided_runs) {
  for_every_word([](auto u) {
    using U = decltype(u);
    for (const std::size_t runs : {1, 2, 3, 4, 5, 7, 8, 13, 64}) {
      const std::size_t n = 1000 + 37 * runs;
      auto words = sorted(random_words<U>(n, runs % 2 == 0 ? 0 : 5, runs));
      std::vector<U> memory(merge_tree<U>::room(runs, merge_quantum));
      merge_tree<U> tree(runs, merge_quantum, memory.data());
      for (std::size_t i = 0; i < runs; ++i)
        tree.set_run(i, words.data() + i, (n - i + runs - 1) / runs, runs);
      std::vector<U> out(n / merge_quantum * merge_quantum + merge_quantum);
      for (std::size_t i = 0; i < out.size(); i += merge_quantum) tree.next(out.data() + i);
      words.resize(out.size(), no_key<U>);
      ASSERT_EQ(out, words) << runs << " runs of u" << 8 * sizeof(U);
    }
  });
}

TEST_P(sort_kernels, merge_tree_takes_runs_of_unequal_length) {
  for_every_word([](auto u) {
    using U = decltype(u);
    for (const std::size_t runs : {2, 3, 6}) {
      std::vector<std::vector<U>> parts;
      std::vector<U> expected;
      for (std::size_t i = 0; i < runs; ++i) {
        parts.push_back(sorted(random_words<U>(i % 2 == 0 ? 0 : 700 * i * i, 0, i)));
        expected.insert(expected.end(), parts.back().begin(), parts.back().end());
      }
      std::sort(expected.begin(), expected.end());
      std::vector<U> memory(merge_tree<U>::room(runs, merge_quantum));
      merge_tree<U> tree(runs, merge_quantum, memory.data());
      for (std::size_t i = 0; i < runs; ++i) tree.set_run(i, parts[i].data(), parts[i].size(), 1);
      std::vector<U> out(expected.size() + 2 * merge_quantum - expected.size() % merge_quantum);
      for (std::size_t i = 0; i < out.size(); i += merge_quantum) tree.next(out.data() + i);
      expected.resize(out.size(), no_key<U>);
      ASSERT_EQ(out, expected);
    }
  });
}

TEST_P(sort_kernels, gather_takes_every_stride_th_word_and_reads_no_further) {
  for_every_word([](auto u) {
    using U = decltype(u);
    for (const std::size_t stride : {1, 2, 3, 4, 5, 8}) {
      for (const std::size_t count : {1, 2, 7, 64, 65, 200}) {
        const auto words = random_words<U>((count - 1) * stride + 1, 0, count);
        std::vector<U> expected(count);
        for (std::size_t i = 0; i < count; ++i) expected[i] = words[i * stride];
        std::vector<U> out(count);
        gather_words(words.data(), stride, count, out.data());
        ASSERT_EQ(out, expected);
      }
    }
  });
}

TEST_P(sort_kernels, exchange_of_neighbours_is_two_rounds_of_compare_exchange) {
  for_every_word([](auto u) {
    using U = decltype(u);
    for (const std::size_t rows : {1, 2, 3, 31, 64, 100, 257}) {
      const auto a = random_words<U>(rows + 2, 0, rows);
      const auto b = random_words<U>(rows + 2, 0, rows + 1);
      std::vector<U> expected;
      for (std::size_t i = 0; i < rows + 2; ++i) expected.insert(expected.end(), {a[i], b[i]});
      const auto exchange = [&](std::size_t from) {
        for (std::size_t i = from; i + 1 < expected.size(); i += 2)
          if (expected[i + 1] < expected[i]) std::swap(expected[i], expected[i + 1]);
      };
      exchange(0);
      exchange(1);
      std::vector<U> out(2 * rows);
      exchange_neighbours(a.data() + 1, b.data() + 1, rows, out.data());
      ASSERT_TRUE(std::equal(out.begin(), out.end(), expected.begin() + 2));
    }
  });
}

TEST_P(sort_kernels, partition_copies_every_key_to_its_side) {
  for_every_word([](auto u) {
    using U = decltype(u);
    if constexpr (sizeof(U) > 1)  // bytes are counted
      for (const auto& map : all_maps<U>()) {
        for (const std::size_t n : {0, 1, 5, 63, 64, 200, 1000, 4099}) {
          const auto bits = random_bits(n, map, n);
          const auto words = words_of(bits, map);
          for (const U pivot : {U{0}, static_cast<U>(no_key<U> / 3), no_key<U>}) {
            std::vector<U> out(n);
            const std::size_t low = copy_partitioned(bits.data(), n, map, pivot, out.data());
            ASSERT_EQ(low, static_cast<std::size_t>(std::count_if(
                               words.begin(), words.end(), [&](U word) { return word < pivot; })));
            ASSERT_TRUE(std::all_of(out.data(), out.data() + low, [&](U w) { return w < pivot; }));
            ASSERT_EQ(sorted(out), sorted(words));
          }
        }
      }
  });
}

TEST_P(sort_kernels, store_is_the_inverse_of_the_map_at_any_alignment) {
  for_every_word([](auto u) {
    using U = decltype(u);
    for (const auto& map : all_maps<U>()) {
      for (const bool stream : {false, true}) {
        for (std::size_t shift = 0; shift < 5; ++shift) {
          const std::size_t n = 300 - shift;
          const auto bits = random_bits(n, map, shift);
          const auto words = words_of(bits, map);
          std::vector<U> out(n + 10, 77);
          store_keys(words.data(), n, map, out.data() + shift, stream);
          finish_streaming();
          ASSERT_TRUE(std::equal(bits.begin(), bits.end(), out.begin() + shift));
          ASSERT_EQ(std::count(out.begin(), out.begin() + shift, U{77}), shift);
          ASSERT_TRUE(std::all_of(out.begin() + n + shift, out.end(), [](U x) { return x == 77; }));
        }
      }
    }
  });
}

TEST_P(sort_kernels, leaves_sort_in_place_and_away_alike) {
  for_every_word([](auto u) {
    using U = decltype(u);
    for (const auto& map : all_maps<U>()) {
      for (const std::size_t n : {1, 2, 3, 100, 127, 128, 1000, 5000, 70000}) {
        auto bits = random_bits(n, map, n);
        const auto expected = sorted(words_of(bits, map));
        std::vector<U> away(n);
        copy_sorted(bits.data(), n, map, away.data());
        ASSERT_EQ(away, expected) << n;
        sort_keys(bits.data(), n, map);
        ASSERT_EQ(words_of(bits, map), expected) << n;
      }
    }
  });
}

TEST_P(sort_kernels, leaves_sort_patterns) {
  for_every_word([](auto u) {
    using U = decltype(u);
    const std::size_t n = 20011;
    for (int pattern = 0; pattern < 5; ++pattern) {
      std::vector<U> words(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::array<std::size_t, 5> value{i, n - i, std::size_t{7}, i % 3, std::min(i, n - i)};
        words[i] = static_cast<U>(std::min<std::size_t>(value[pattern], no_key<U>));
      }
      const auto expected = sorted(words);
      std::vector<U> away(n);
      copy_sorted(words.data(), n, key_map<U>(), away.data());
      ASSERT_EQ(away, expected) << pattern;
      sort_words(words.data(), n);
      ASSERT_EQ(words, expected) << pattern;
    }
  });
}

}  // namespace sort_kernels_test
