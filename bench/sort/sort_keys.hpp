// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "distribution.hpp"
#include "measure/number_types.hpp"

namespace pleat::bench {

/// A record of 16 bytes sorted by its first half: what people sort more often than bare keys.
struct key_value {
  std::uint64_t key;
  std::uint64_t value;

  bool operator==(const key_value&) const = default;
};

/// Other records sorted by a number: it and what follows it.
template <class K, std::size_t Bytes> struct keyed_record {
  K key;
  std::uint32_t rest[(Bytes - sizeof(K)) / sizeof(std::uint32_t)];

  bool operator==(const keyed_record&) const = default;
};
using pair32 = keyed_record<std::uint32_t, 8>;
using edge = keyed_record<float, 12>;
using record64 = keyed_record<std::uint64_t, 64>;

template <class T> inline constexpr bool is_record = requires(T record) { record.key; };

struct by_key {
  template <class R> bool operator()(const R& a, const R& b) const { return a.key < b.key; }
};
/// The number by which a record is sorted.
struct key_of {
  template <class R> const auto& operator()(const R& record) const { return record.key; }
};

using u64_pair = std::pair<std::uint64_t, std::uint64_t>;  ///< compared lexicographically

/// The order every sort here is asked for.
template <class T> using key_order = std::conditional_t<is_record<T>, by_key, std::ranges::less>;

/// Part of a key that key_order<T> compares.
template <class T> using compared_part = std::conditional_t<is_record<T>, key_of, std::identity>;

template <> constexpr const char* type_name<key_value>() { return "pairs"; }
template <> constexpr const char* type_name<u64_pair>() { return "u64_pair"; }
template <> constexpr const char* type_name<std::string>() { return "string"; }
template <> constexpr const char* type_name<pair32>() { return "pairs32"; }
template <> constexpr const char* type_name<edge>() { return "edge"; }
template <> constexpr const char* type_name<record64>() { return "record64"; }

/// The types of keys, by their names in options; the first unless the user chooses.
inline constexpr std::string_view key_types = "u64, f64, u32, i32, f32, pairs, u64_pair, string";

/// Calls f.template operator()<T>() for the type of that name.
/// Throws: pleat::usage_error naming the types.
template <class F> void with_key_type(std::string_view name, const F& f) {
  with_type<std::uint64_t, double, std::uint32_t, std::int32_t, float, key_value, u64_pair,
            std::string>(name, f);
}

/// Types of sorts alone, after which no rival sorts indices.
inline constexpr std::string_view sort_types =
    "u64, f64, u32, i32, f32, pairs, u64_pair, string, i64, u16, u8, pairs32, edge, record64";

/// Calls f as with_key_type does, for these.
template <class F> void with_sort_type(std::string_view name, const F& f) {
  with_type<std::uint64_t, double, std::uint32_t, std::int32_t, float, key_value, u64_pair,
            std::string, std::int64_t, std::uint16_t, std::uint8_t, pair32, edge, record64>(name,
                                                                                            f);
}

/// 14 letters in the order of the positions, and up to 17 more: a third on the heap or more.
[[nodiscard]] std::string string_at(std::uint64_t position, std::size_t index);

/// The key of type T at a position of 64 bits: monotone, so every distribution keeps its shape.
template <class T> [[nodiscard]] T key_at(std::uint64_t position, std::size_t index) {
  if constexpr (std::is_same_v<T, key_value>) {
    return {position, index};
  } else if constexpr (is_record<T>) {
    T record{key_at<decltype(T::key)>(position, index), {}};
    record.rest[0] = static_cast<std::uint32_t>(index);
    return record;
  } else if constexpr (std::is_same_v<T, u64_pair>) {
    return {position, mixed(index)};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return string_at(position, index);
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(position >> 11U) * 0x1p-52 - 1.0;
  } else if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(position >> 40U) * 0x1p-23F - 1.0F;
  } else {
    static_assert(std::is_integral_v<T>);
    using U = std::make_unsigned_t<T>;
    constexpr int bits = 8 * sizeof(T);
    const auto word = static_cast<U>(position >> (64U - bits));
    return static_cast<T>(std::is_signed_v<T> ? word ^ U{1} << (bits - 1) : word);
  }
}

/// The number of which a key of type T is made.
template <class T> struct key_number { using type = T; };
template <class T>
requires is_record<T>
struct key_number<T> {
  using type = decltype(T::key);
};

/// The key of type T that was drawn: a number that is a key is that key, or the greatest of its
/// type; as a string, its letters.
template <class T> [[nodiscard]] T key_at(const drawn_key& drawn, std::size_t index) {
  using number = typename key_number<T>::type;
  if (drawn.scaled || !std::is_arithmetic_v<number>) return key_at<T>(drawn.number, index);
  if constexpr (std::is_floating_point_v<number>) {
    const auto key = static_cast<number>(drawn.number);
    if constexpr (is_record<T>) {
      T record = key_at<T>(std::uint64_t{0}, index);
      record.key = key;
      return record;
    } else {
      return key;
    }
  } else {
    constexpr int bits = std::is_arithmetic_v<number> ? 8 * sizeof(number) : 64;
    constexpr std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
    return key_at<T>(std::min(drawn.number, most) << (64 - bits), index);
  }
}

template <class T> void fill_keys(std::span<T> keys, const distribution& of, std::uint64_t seed) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = key_at<T>(of.key(seed, i, keys.size()), i);
}

/// A number that every permutation of the same keys has, and other sets of keys practically never.
template <class T> [[nodiscard]] std::uint64_t key_fingerprint(std::span<const T> keys) {
  std::uint64_t sum = 0;
  for (const auto& key : keys) {
    if constexpr (std::is_same_v<T, key_value>) {
      sum += mixed(key.key ^ mixed(key.value));
    } else if constexpr (is_record<T>) {
      sum += mixed(key_fingerprint(std::span(&key.key, 1)) ^ mixed(key.rest[0]));
    } else if constexpr (std::is_same_v<T, u64_pair>) {
      sum += mixed(key.first ^ mixed(key.second));
    } else if constexpr (std::is_same_v<T, std::string>) {
      sum += mixed(std::hash<std::string>()(key));
    } else if constexpr (sizeof(T) == 8) {
      sum += mixed(std::bit_cast<std::uint64_t>(key));
    } else if constexpr (sizeof(T) == 4) {
      sum += mixed(std::bit_cast<std::uint32_t>(key));
    } else {
      sum += mixed(key);
    }
  }
  return sum;
}

/// Throws: pleat::error, naming who sorted, unless the keys ascend and are those of `fingerprint`.
template <class T>
void verify_sorted(std::span<const T> keys, std::uint64_t fingerprint, std::string_view who) {
  const key_order<T> less;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (less(keys[i], keys[i - 1]))
      throw error("verification failed: " + std::string(who) + " left the keys at " +
                  std::to_string(i - 1) + " and " + std::to_string(i) + " in the wrong order");
  }
  if (key_fingerprint(keys) != fingerprint)
    throw error("verification failed: " + std::string(who) + " lost or changed keys");
}

/// Short: those who move indices about have less to move.
using key_index = std::uint32_t;

/// Orders indices as a stable sort orders their keys: whatever sorts by it, there is one result.
template <class T> struct by_key_at {
  const T* keys;

  bool operator()(key_index a, key_index b) const {
    const compared_part<T> part;
    const auto order = part(keys[a]) <=> part(keys[b]);
    return order < 0 || (order == 0 && a < b);
  }
};

}  // namespace pleat::bench
