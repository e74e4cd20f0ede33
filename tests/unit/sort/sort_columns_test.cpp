// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/value_column.hpp>
#include <pleat/oblivious/detail/sort/word_column.hpp>

#include "base/sanitizer.hpp"

// The matrix phases without a machine: the columns of all VPs take their steps one after the other.

namespace sort_columns_test {

using namespace pleat::detail::sorting;

template <class Column>
void sort_by_columns(const block_shape& shape, const typename Column::source& keys) {
  using key = typename Column::key;
  const std::size_t s = shape.columns;
  const auto sorted = std::make_unique<key[]>(shape.keys);
  const std::size_t each = Column::work_keys(shape);
  const auto work = std::make_unique<key[]>(s * each);
  std::vector<Column> columns;
  for (std::size_t c = 0; c < s; ++c)
    columns.emplace_back(shape, c, keys, sorted.get(), work.get() + c * each);
  for (auto& column : columns) column.sort();
  for (std::size_t j = 0; j < s; ++j)
    for (std::size_t c = 0; c < s; ++c) columns[j].take_run(c, columns[c].run_for(j));
  for (std::size_t t = 0; t < shape.chunks(); ++t) {
    for (auto& column : columns) column.merge(t);
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t c = 0; c < s; ++c) columns[j].take_slice(c, columns[c].slice_for(t, j));
      columns[j].finish(t);
    }
  }
}

template <sort_word U> void sort_words_by_columns(const block_shape& shape, std::vector<U>& words) {
  sort_by_columns<word_column<U>>(shape, {reinterpret_cast<std::byte*>(words.data()), {}, false});
}

/// A value that tells equal keys apart.
struct item {
  std::uint32_t key;
  std::uint32_t id;
};
struct by_key {
  bool operator()(const item& a, const item& b) const { return a.key < b.key; }
};

void sort_items_by_columns(const block_shape& shape, std::vector<item>& items) {
  const by_key less;
  sort_by_columns<value_column<value_source<item*, by_key>>>(shape, {items.data(), &less});
}

void expect_sorted_permutation(const std::vector<item>& before, const std::vector<item>& after) {
  ASSERT_TRUE(std::is_sorted(after.begin(), after.end(), by_key()));
  std::vector<const item*> seen(before.size());
  for (const item& x : after) {
    ASSERT_LT(x.id, before.size());
    ASSERT_EQ(x.key, before[x.id].key);
    ASSERT_EQ(seen[x.id], nullptr) << "an element appears twice";
    seen[x.id] = &x;
  }
}

/// r × s with blocks of zeros[c] zeros, then ones; sorted, must be zeros, then ones.
template <sort_word U>
bool sorts_zeros_and_ones(const block_shape& shape, const std::vector<std::size_t>& zeros) {
  std::vector<U> words(shape.keys, U{1});
  std::size_t all = 0;
  for (std::size_t c = 0; c < shape.columns; ++c) {
    const std::size_t many = std::min(zeros[c], shape.block(c));
    std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(c * shape.rows), many, U{0});
    all += many;
  }
  sort_words_by_columns(shape, words);
  return std::all_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(all),
                     [](U w) { return w == 0; }) &&
         std::all_of(words.begin() + static_cast<std::ptrdiff_t>(all), words.end(),
                     [](U w) { return w == 1; });
}

/// By the 0-1 principle a shape that sorts all columns of zeros and ones sorts everything. Shapes
/// with r < 2(s − 1)², for which the eight phases on whole columns fail, are among them.
TEST(columns, sort_every_input_of_zeros_and_ones) {
  std::vector<matrix_shape> shapes{{2, 2}, {4, 2}, {6, 2}, {40, 2}, {3, 3}, {6, 3}, {9, 3}, {4, 4}};
  if (!pleat::detail::sanitized) shapes.insert(shapes.end(), {{12, 3}, {8, 4}, {5, 5}});
  if (std::getenv("PLEAT_TEST_EXHAUSTIVE") != nullptr) shapes.push_back({6, 6});  // a minute
  for (const auto& [rows, columns] : shapes) {
    const block_shape shape =
        make_block_shape(rows * columns, columns, word_column<std::uint32_t>::quantum);
    ASSERT_EQ(shape.rows, rows);
    std::vector<std::size_t> zeros(columns, 0);
    std::size_t digit = 0;
    while (digit < columns) {
      ASSERT_TRUE(sorts_zeros_and_ones<std::uint32_t>(shape, zeros))
          << rows << " x " << columns << ": " << testing::PrintToString(zeros);
      for (digit = 0; digit < columns && ++zeros[digit] > rows; ++digit) zeros[digit] = 0;
    }
  }
}

TEST(columns, sort_random_zeros_and_ones_in_large_shapes) {
  std::mt19937_64 random(1);
  for (const std::size_t s : {4, 5, 7, 8, 12, 16, 31, 64}) {
    for (const std::size_t factor : {1, 2, 5}) {
      const std::size_t r = s * factor;
      const block_shape shape = make_block_shape(r * s, s, word_column<std::uint16_t>::quantum);
      for (int repeat = 0; repeat < (pleat::detail::sanitized ? 6 : 18); ++repeat) {
        std::vector<std::size_t> zeros(s);
        const std::size_t most = repeat % 3 == 0 ? r : random() % r + 1;
        for (auto& z : zeros) z = random() % (most + 1);
        ASSERT_TRUE(sorts_zeros_and_ones<std::uint16_t>(shape, zeros)) << r << " x " << s;
      }
    }
  }
}

TEST(columns, sort_words_whatever_the_number_and_the_chunk) {
  std::mt19937_64 random(2);
  constexpr std::size_t quantum = word_column<std::uint64_t>::quantum;
  for (const std::size_t s : {1, 2, 3, 4, 5, 8, 13}) {
    for (const std::size_t n : {1, 2, 3, 10, 97, 1000, 4096, 20011}) {
      for (const std::size_t chunk : {std::size_t{0}, quantum, 3 * quantum}) {
        block_shape shape = make_block_shape(n, s, quantum);
        if (chunk != 0) shape.chunk_rows = chunk;
        for (const std::uint64_t values : {std::uint64_t{0}, std::uint64_t{3}}) {
          std::vector<std::uint64_t> words(n);
          for (auto& word : words) word = values == 0 ? random() : random() % values - 1;
          auto expected = words;
          std::sort(expected.begin(), expected.end());
          sort_words_by_columns(shape, words);
          ASSERT_EQ(words, expected) << n << " keys, " << s << " columns, chunks of " << chunk;
        }
      }
    }
  }
}

TEST(columns, lose_and_double_no_value_however_many_are_equal) {
  std::mt19937_64 random(3);
  for (const std::size_t s : {1, 2, 3, 4, 5, 8, 17}) {
    for (const std::size_t n : {1, 2, 5, 18, 97, 300, 1000, 3001}) {
      const std::size_t h = make_block_shape(n, s, 1).halo();
      for (const std::size_t chunk : {std::size_t{0}, std::max<std::size_t>(h, 1), h + 3, h + 40}) {
        block_shape shape = make_block_shape(n, s, 1);
        if (chunk != 0) shape.chunk_rows = chunk;
        for (const std::uint32_t values : {1u, 2u, 5u, 1000000u}) {
          std::vector<item> items(n);
          for (std::size_t i = 0; i < n; ++i)
            items[i] = {static_cast<std::uint32_t>(random() % values),
                        static_cast<std::uint32_t>(i)};
          auto after = items;
          sort_items_by_columns(shape, after);
          expect_sorted_permutation(items, after);
          ASSERT_FALSE(HasFatalFailure()) << n << " keys, " << s << " columns, chunks of " << chunk
                                          << ", " << values << " values";
        }
      }
    }
  }
}

}  // namespace sort_columns_test
