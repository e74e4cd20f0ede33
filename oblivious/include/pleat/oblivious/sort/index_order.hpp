// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include <pleat/oblivious/sort/keys.hpp>

// Sorting indices: values that are too large to be moved three times, that must not be moved as
// bytes, or that are not to be moved at all. What the columns move is an index and, where the key
// has one, a word of it whose order is, as far as it goes, that of the keys: most comparisons never
// look at the values, which lie all over the memory by then. Indices break ties: these sorts are
// stable.
namespace pleat::detail::sorting {

/// A word that orders keys of type K: word(a) < word(b) only if a comes before b. `exact`: keys of
/// equal words are equivalent, too.
template <class K> struct leading_word {
  static constexpr bool exists = false;
  static constexpr bool exact = false;
};

/// Numbers. Equal zeros have equal words, and so have all NaNs, which come last.
template <class K>
requires has_word<K>
struct leading_word<K> {
  static constexpr bool exists = true;
  static constexpr bool exact = true;
  using word = std::conditional_t<sizeof(K) == 8, std::uint64_t, std::uint32_t>;

  bool descending;

  [[nodiscard]] word operator()(K key) const noexcept {
    if constexpr (std::floating_point<K>) {
      if (key != key) return no_key<word>;
      key += K(0);  // -0.0 becomes +0.0
    }
    return static_cast<word>(key_map_of<K>(descending).to_word(std::bit_cast<word_of<K>>(key)));
  }
  template <class KeyAt> void look_at(std::size_t, const KeyAt&) noexcept {}
};

/// Strings of bytes: the eight bytes behind what a sample of them has in common.
template <class K>
requires(std::same_as<K, std::string> || std::same_as<K, std::string_view>) struct leading_word<K> {
  static constexpr bool exists = true;
  static constexpr bool exact = false;
  using word = std::uint64_t;

  bool descending;
  std::string common = {};

  [[nodiscard]] word operator()(std::string_view key) const noexcept {
    if (!common.empty()) {
      const int where = key.substr(0, common.size()).compare(common);
      if (where != 0) return (where > 0) != descending ? no_key<word> : word{0};
      key.remove_prefix(common.size());
    }
    std::array<unsigned char, 8> bytes{};
    std::memcpy(bytes.data(), key.data(), std::min<std::size_t>(key.size(), 8));
    word big = 0;
    for (const unsigned char byte : bytes) big = big << 8U | byte;
    return descending ? ~big : big;
  }
  template <class KeyAt> void look_at(std::size_t n, const KeyAt& key_at) {
    common = std::string(std::string_view(key_at(0)));
    const std::size_t step = std::max<std::size_t>(1, n / 256);
    for (std::size_t i = 0; i < n && !common.empty(); i += step) {
      const std::string_view key(key_at(i));
      const auto ends = std::mismatch(common.begin(), common.end(), key.begin(), key.end());
      common.resize(static_cast<std::size_t>(ends.first - common.begin()));
    }
  }
};

/// An index with its key's word. 16 bytes, or 8 where both are short.
template <class Word, class Index> struct ranked_index {
  Index index;
  Word word;
};
struct bare_index {
  std::size_t index;
};

/// Where words are exact: nothing but the words and the indices decides.
struct exact_order {
  static constexpr bool total = true;

  template <class Ranked>
  [[nodiscard]] bool operator()(const Ranked& a, const Ranked& b) const noexcept {
    if constexpr (sizeof(Ranked) == 8) {
      return (std::uint64_t{a.word} << 32U | a.index) < (std::uint64_t{b.word} << 32U | b.index);
    } else {
      return static_cast<bool>(
          static_cast<unsigned>(a.word < b.word) |
          (static_cast<unsigned>(a.word == b.word) & static_cast<unsigned>(a.index < b.index)));
    }
  }
};

/// Where they are not, `before`, called with two indices, has the last word on the values.
template <class Before> struct tied_order {
  static constexpr bool total = true;
  const Before* before;

  template <class Ranked> bool operator()(const Ranked& a, const Ranked& b) const {
    if constexpr (requires { a.word; })
      if (a.word != b.word) return a.word < b.word;
    const auto i = static_cast<std::size_t>(a.index);
    const auto j = static_cast<std::size_t>(b.index);
    return i < j ? !(*before)(j, i) : (*before)(i, j);
  }
};

/// Sorts the indices 0, 1, … by words and order; put(i, index) gets the i-th.
template <class Key, class WordAt, class Order, class Put> struct index_source {
  using key = Key;
  using order_type = Order;
  static constexpr bool in_place = false;

  const WordAt* word_at;
  const Put* put;
  const Order* order;

  [[nodiscard]] key load(std::size_t i) const {
    if constexpr (std::same_as<Key, bare_index>)
      return {i};
    else
      return {static_cast<decltype(key::index)>(i),
              static_cast<decltype(key::word)>((*word_at)(i))};
  }
  void store(std::size_t i, const key& k) const { (*put)(i, static_cast<std::size_t>(k.index)); }
};

/// n indices in as little memory as they need.
class index_array {
 public:
  [[nodiscard]] static constexpr bool wide(std::size_t n) noexcept { return n >> 32U != 0; }
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t n) noexcept {
    return n * (wide(n) ? 8 : 4);
  }

  explicit index_array(std::size_t n) noexcept : wide_(wide(n)) {}
  /// Requires: `memory` of bytes(n), aligned for 8.
  void lie_at(std::byte* memory) noexcept { memory_ = memory; }

  void set(std::size_t i, std::size_t index) const noexcept {
    if (wide_)
      reinterpret_cast<std::uint64_t*>(memory_)[i] = index;
    else
      reinterpret_cast<std::uint32_t*>(memory_)[i] = static_cast<std::uint32_t>(index);
  }
  [[nodiscard]] std::size_t operator[](std::size_t i) const noexcept {
    return wide_ ? reinterpret_cast<const std::uint64_t*>(memory_)[i]
                 : reinterpret_cast<const std::uint32_t*>(memory_)[i];
  }

 private:
  std::byte* memory_ = nullptr;
  bool wide_;
};

}  // namespace pleat::detail::sorting
