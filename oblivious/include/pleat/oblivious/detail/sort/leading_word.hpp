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

#include <pleat/oblivious/detail/sort/keys.hpp>

namespace pleat::detail::sorting {

/// Function that maps keys of type K to words: word(a) < word(b) only if a comes before b. `exact`:
/// keys of equal words are equivalent, too.
template <class K> struct leading_word {
  static constexpr bool exists = false;
  static constexpr bool exact = false;
};

/// Words of numbers. Both zeros have the same word; all NaNs have the greatest word, so come last.
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
    return static_cast<word>(
        sorting::key_map_of<K>(descending).to_word(std::bit_cast<word_of<K>>(key)));
  }
  template <class Keys> void look_at(std::size_t, const Keys&) noexcept {}
};

/// Words of byte strings: the eight bytes behind the common prefix of a sample of the keys.
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
  /// Requires n ≥ 1.
  template <class Keys> void look_at(std::size_t n, const Keys& keys) {
    keys.with(0, [this](std::string_view key) { common = key; });
    const std::size_t step = std::max<std::size_t>(1, n / 256);
    for (std::size_t i = 0; i < n && !common.empty(); i += step) {
      keys.with(i, [this](std::string_view key) {
        const auto ends = std::mismatch(common.begin(), common.end(), key.begin(), key.end());
        common.resize(static_cast<std::size_t>(ends.first - common.begin()));
      });
    }
  }
};

}  // namespace pleat::detail::sorting
