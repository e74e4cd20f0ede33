// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/aligned_allocator.h>

#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/sort.hpp>

#include "base/sanitizer.hpp"
#include "key_shapes.hpp"
#include "sort/spread.hpp"
#include "sort/word_spread.hpp"
#include "unit/every_target.hpp"

namespace sort_spread_test {

using namespace pleat::detail::sorting;

class sort_spread : public every_target {};
ON_EVERY_TARGET(sort_spread);

template <class T> std::vector<T> keys_of(const key_shape& shape, std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<word_of<T>>(shape.at(random(), i) >> (64 - 8 * sizeof(T)));
    keys[i] = std::bit_cast<T>(bits);  // of floating-point numbers also NaNs
  }
  return keys;
}

/// Returns what one VP without a machine has done, or several.
template <class T>
sort_method spread_and_sort(pleat::machine& on, std::vector<T>& keys,
                            const key_map<word_of<T>>& map, std::size_t vps) {
  using U = word_of<T>;
  word_spread<U> spread({reinterpret_cast<std::byte*>(keys.data()), map, false}, keys.size(), vps);
  const auto lay_out = [&](pleat::detail::arena& in) {
    spread.lay_out(in, in.template array<U>(keys.size()));
    return in.bytes();
  };
  pleat::detail::arena measured;
  const auto memory = hwy::AllocateAligned<std::byte>(lay_out(measured));
  pleat::detail::arena taken(memory.get());
  static_cast<void>(lay_out(taken));
  if (vps == 1) return spread.alone();
  std::vector<sort_method> done(vps);
  on.run(vps, [&](pleat::vp& me) -> pleat::task<> {
    const sort_method did = co_await spread.together(me);
    done[me.rank()] = did;
  });
  EXPECT_TRUE(std::ranges::all_of(done, [&](sort_method did) { return did == done[0]; }));
  EXPECT_TRUE(done[0] != sort_method::columns || !spread.restore());
  return done[0];
}

TEST(bucket_places, are_balanced_if_no_vp_sorts_a_quarter_more_than_its_share) {
  for (const std::uint32_t first : {50u, 52u}) {  // one VP has two buckets of 160 words
    const std::uint32_t counts[] = {first, 50, 30, 80 - first};
    const std::uint32_t none[4] = {};
    std::size_t begins[4], sizes[4], firsts[4];
    const auto work = bucket_places(160, 2).find(0, {counts, none}, 4, {}, {begins, sizes, firsts});
    EXPECT_EQ(work.lights.last, 2u);
    EXPECT_EQ(work.balanced, first == 50);
  }
}

/// Sorts are compared bit for bit with a sort of the words. Where the keys crowd, all VPs agree to
/// leave them as they are, and the whole sort goes on by columns.
template <class T> void sort_on_any_number_of_vps() {
  pleat::machine machine({.processors = 2});
  bool descending = false;
  for (const std::size_t vps : {1, 2, 3, 7}) {
    if (pleat::detail::sanitized && vps != 1 && vps != 3) continue;
    const std::size_t n = vps * 16384 + 77;
    descending = !descending;  // so that each shape comes in both orders
    ASSERT_TRUE(fits_distribution({item_kind::word, sizeof(T)}, n, vps));
    for (const key_shape& shape : key_shapes) {
      descending = !descending;
      const auto map = key_map_of<T>(descending);
      auto keys = keys_of<T>(shape, n);
      std::vector<word_of<T>> expected;
      for (const T key : keys) expected.push_back(map.to_word(std::bit_cast<word_of<T>>(key)));
      std::ranges::sort(expected);
      auto spread = keys;
      const sort_method did = spread_and_sort(machine, spread, map, vps);
      const bool balanced = did != sort_method::columns;
      const std::string name = shape.name;
      ASSERT_TRUE(balanced || (name != "even" && name != "mostly one value"));
      ASSERT_EQ(did == sort_method::counting, name == "three values" || name == "one value");
      if (descending)
        pleat::sort(machine, keys, std::greater<>(), {.vps = vps});
      else
        pleat::sort(machine, keys, std::less<>(), {.vps = vps});
      const auto same = [](T a, T b) {
        return std::bit_cast<word_of<T>>(a) == std::bit_cast<word_of<T>>(b);
      };
      if (!balanced) {  // the words are there, in any order
        std::vector<word_of<T>> left;
        for (const T key : spread) left.push_back(map.to_word(std::bit_cast<word_of<T>>(key)));
        std::ranges::sort(left);
        ASSERT_EQ(left, expected) << shape.name;
      }
      ASSERT_TRUE(!balanced || std::ranges::equal(spread, keys, same)) << shape.name;
      std::vector<word_of<T>> sorted;
      for (const T key : keys) sorted.push_back(map.to_word(std::bit_cast<word_of<T>>(key)));
      ASSERT_EQ(sorted, expected) << shape.name << ", " << vps << " VPs";
    }
  }
}

TEST_P(sort_spread, sorts_words_of_32_bits_on_any_number_of_vps) {
  sort_on_any_number_of_vps<std::uint32_t>();
}
TEST_P(sort_spread, sorts_words_of_64_bits_on_any_number_of_vps) {
  sort_on_any_number_of_vps<std::uint64_t>();
}

/// The instruction set decides how words are sorted, not how keys become words.
TEST(sort_spread_keys, are_sorted_whatever_makes_them_words) {
  sort_on_any_number_of_vps<float>();
  sort_on_any_number_of_vps<std::int64_t>();
}

/// Buckets follow one another: a greater word is in no lesser bucket, and all words are in some.
/// If words of the sample may separate them, none gets many more light words than its share.
template <class U> void digits_are_in_the_order_of_words(bool separable) {
  for (const key_shape& shape : key_shapes) {
    auto words = keys_of<U>(shape, 50000);
    words.insert(words.end(), {U{0}, static_cast<U>(~U{0})});
    const leading_digit<U> digit([&words](std::size_t i) { return words[i]; }, words.size(), 3,
                                 {.separable = separable});
    std::ranges::sort(words);
    std::vector<std::size_t> light(digit.lights());
    const auto is_heavy = [&heavy = digit.heavy()](U w) {
      return heavy.size() > 0 && heavy.find(w, 0, heavy.size()) < heavy.size();
    };
    digit.visit([&](const auto& d) {
      std::size_t last = 0;
      for (const U w : words) {
        ASSERT_GE(d(w), last) << shape.name;
        ASSERT_LT(d(w), digit.lights()) << shape.name;
        last = d(w);
        light[last] += is_heavy(w) ? 0 : 1;
      }
    });
    if (separable) {
      EXPECT_LT(std::ranges::max(light), words.size() / 8) << shape.name;
    }
  }
}

TEST(sort_digits, are_in_the_order_of_words) {
  for (const bool separable : {false, true}) {
    digits_are_in_the_order_of_words<std::uint32_t>(separable);
    digits_are_in_the_order_of_words<std::uint64_t>(separable);
  }
}

/// Half of the words, those of the greatest exponent, are in a twelfth of the range.
TEST(sort_digits, of_uniform_numbers_are_small_beside_the_share_of_a_vp) {
  std::mt19937_64 random(23);
  for (const std::size_t vps : {2, 3, 5, 7, 16, 64}) {
    std::vector<std::uint32_t> words((vps << 14) + random() % (vps << 14));
    for (auto& w : words) w = std::bit_cast<std::uint32_t>(static_cast<float>(random() >> 33));
    const leading_digit<std::uint32_t> digit([&](std::size_t i) { return words[i]; }, words.size(),
                                             vps);
    std::vector<std::size_t> found(digit.lights());
    digit.visit([&](const auto& d) {
      for (const std::uint32_t w : words) ++found[d(w)];
    });
    EXPECT_LE(std::ranges::max(found), words.size() / vps / 4) << vps << " VPs";
  }
}

}  // namespace sort_spread_test
