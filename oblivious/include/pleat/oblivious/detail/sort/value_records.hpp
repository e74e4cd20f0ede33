// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::sorting {

/// Tells whether values may be copied as bytes into memory that holds no value: neither their
/// constructors nor their destructors do anything else.
template <class T>
inline constexpr bool byte_movable = std::is_trivially_copy_constructible_v<T>&&
    std::is_trivially_destructible_v<T>&& std::is_copy_assignable_v<T>;

/// Uninitialised memory for `Count` values.
template <class T, std::size_t Count> class raw_values {
 public:
  T* data() noexcept { return reinterpret_cast<T*>(bytes_); }

 private:
  alignas(T) std::byte bytes_[Count * sizeof(T)];
};

// Requirements of a source, which value_column sorts: keys that can be loaded from and stored to n
// places, and their order. All VPs call both concurrently.
//
//   using key                          byte_movable: what the columns move
//   using order_type                   bool(const key&, const key&) const, a strict weak order
//   const order_type* order
//   const key* look(std::size_t first, std::size_t count, key* room) const
//                                      returns where keys lie: in their places, or copied to
//                                      `room`, uninitialised; any VP calls it, before any store
//   void store(std::size_t i, const key&) const      each place once
//   static constexpr bool in_place     store writes to the memory that look reads

/// Source whose keys are the user's values.
template <class Iterator, class Order> struct value_source {
  using key = std::iter_value_t<Iterator>;
  using order_type = Order;
  static constexpr bool in_place = true;

  Iterator values;
  const Order* order;

  const key* look(std::size_t first, std::size_t count, key* room) const {
    const Iterator at = values + static_cast<std::iter_difference_t<Iterator>>(first);
    if constexpr (std::contiguous_iterator<Iterator>) {
      return std::to_address(at);
    } else {
      std::uninitialized_copy_n(at, count, room);
      return room;
    }
  }
  void store(std::size_t i, const key& value) const {
    values[static_cast<std::iter_difference_t<Iterator>>(i)] = value;
  }
};

/// Value with the index of its place.
template <class T, class Index> struct tagged {
  T value;
  Index index;
};

/// Order in which equal values keep the order of their places. Calls the comparator once.
template <class Order> struct tagged_order {
  static constexpr bool total = true;
  static constexpr bool trusted = trusted_order<Order>;
  const Order* less;

  template <class Tagged> bool operator()(const Tagged& a, const Tagged& b) const {
    return a.index < b.index ? !(*less)(b.value, a.value) : (*less)(a.value, b.value);
  }
};

/// Source whose keys are the user's values, each with its place.
template <class Iterator, class Index, class Order> struct tagged_source {
  using key = tagged<std::iter_value_t<Iterator>, Index>;
  using order_type = tagged_order<Order>;
  static constexpr bool in_place = true;

  Iterator values;
  const order_type* order;

  const key* look(std::size_t first, std::size_t count, key* room) const {
    const Iterator at = values + static_cast<std::iter_difference_t<Iterator>>(first);
    for (std::size_t i = 0; i < count; ++i)
      std::construct_at(room + i, key{at[static_cast<std::iter_difference_t<Iterator>>(i)],
                                      static_cast<Index>(first + i)});
    return room;
  }
  void store(std::size_t i, const key& k) const {
    values[static_cast<std::iter_difference_t<Iterator>>(i)] = k.value;
  }
};

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

namespace pleat::detail {

namespace sorting {

/// Key with its value.
template <class K, class V> struct key_and_value {
  K key;
  V value;
};

}  // namespace sorting

template <class K, class V>
struct copied_by_bytes<sorting::key_and_value<K, V>>
    : std::bool_constant<copied_by_bytes<K>::value && copied_by_bytes<V>::value> {};

}  // namespace pleat::detail

// Sort of records of a few bytes by a number. It is compiled with the library, and accesses the
// records through an interface, many a call.
namespace pleat::detail::sorting {

/// Tells whether the library can sort records of that size.
constexpr bool record_size(std::size_t bytes) noexcept {
  return bytes % 4 == 0 && bytes >= 4 && bytes <= 64;
}

/// Interface by which a sort reads records and writes its result. All VPs call it concurrently.
class record_access {
 public:
  record_access(const record_access&) = delete;
  record_access& operator=(const record_access&) = delete;

  /// Size of a record; a record_size.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Writes the words by which records first … first + count − 1 are sorted, upwards. If two calls
  /// give different words for a record, the order is unspecified.
  virtual void words(std::size_t first, std::size_t count, std::uint64_t* to) const = 0;
  /// Returns records first … first + count − 1: where they lie, or copied to `room`.
  virtual const std::byte* look(std::size_t first, std::size_t count, std::byte* room) const = 0;
  /// Writes the words of records that were copied.
  virtual void words_of(std::byte* records, std::size_t count, std::uint64_t* to) const = 0;
  /// Puts records to places first … first + count − 1; past the caches with `stream`. Does not
  /// throw unless assigning a record does.
  virtual void put(std::size_t first, std::size_t count, const std::byte* records,
                   bool stream) const = 0;

 protected:
  explicit record_access(std::size_t bytes) noexcept : bytes_(bytes) {}
  ~record_access() = default;

 private:
  std::size_t bytes_;
};

/// Sorts n ≥ 1 records, stably.
PLEAT_API run_report sort_records(machine& on, const record_access& records, std::size_t n,
                                  std::size_t vps);

/// Copies bytes; with `stream`, whole cache lines are written past the caches.
PLEAT_API void store_bytes(const std::byte* from, std::size_t bytes, std::byte* to,
                           bool stream) noexcept;

/// Records that are the user's values, sorted by a key that a projection makes of them.
template <class Iterator, class Projection, class K>
class value_records final : public record_access {
  using T = std::iter_value_t<Iterator>;

 public:
  value_records(Iterator values, Projection& projection, bool descending)
      : record_access(sizeof(T)), values_(values), projection_(projection), word_{descending} {}

  void words(std::size_t first, std::size_t count, std::uint64_t* to) const override {
    for (std::size_t i = 0; i < count; ++i) to[i] = word(at(first + i));
  }
  const std::byte* look(std::size_t first, std::size_t count, std::byte* room) const override {
    if constexpr (std::contiguous_iterator<Iterator>) {
      return reinterpret_cast<const std::byte*>(std::to_address(values_) + first);
    } else {
      T* const to = reinterpret_cast<T*>(room);
      for (std::size_t i = 0; i < count; ++i) std::construct_at(to + i, at(first + i));
      return room;
    }
  }
  void words_of(std::byte* records, std::size_t count, std::uint64_t* to) const override {
    T* const values = reinterpret_cast<T*>(records);
    for (std::size_t i = 0; i < count; ++i) to[i] = word(values[i]);
  }
  void put(std::size_t first, std::size_t count, const std::byte* records,
           bool stream) const override {
    if constexpr (std::contiguous_iterator<Iterator>) {
      store_bytes(records, count * sizeof(T),
                  reinterpret_cast<std::byte*>(std::to_address(values_) + first), stream);
    } else {
      const T* const values = reinterpret_cast<const T*>(records);
      for (std::size_t i = 0; i < count; ++i) at(first + i) = values[i];
    }
  }

 private:
  [[nodiscard]] T& at(std::size_t i) const {
    return values_[static_cast<std::iter_difference_t<Iterator>>(i)];
  }
  [[nodiscard]] std::uint64_t word(T& value) const {
    return word_(static_cast<const K&>(std::invoke(projection_, value)));
  }

  Iterator values_;
  Projection& projection_;
  leading_word<K> word_;
};

/// Records made of the keys and values of two arrays.
template <class Keys, class Values> class paired_records final : public record_access {
  using K = std::iter_value_t<Keys>;
  using pair = key_and_value<K, std::iter_value_t<Values>>;

 public:
  paired_records(Keys keys, Values values, bool descending)
      : record_access(sizeof(pair)), keys_(keys), values_(values), word_{descending} {}

  void words(std::size_t first, std::size_t count, std::uint64_t* to) const override {
    for (std::size_t i = 0; i < count; ++i) to[i] = word_(of(keys_, first + i));
  }
  const std::byte* look(std::size_t first, std::size_t count, std::byte* room) const override {
    pair* const to = reinterpret_cast<pair*>(room);
    for (std::size_t i = 0; i < count; ++i)
      std::construct_at(to + i, pair{of(keys_, first + i), of(values_, first + i)});
    return room;
  }
  void words_of(std::byte* records, std::size_t count, std::uint64_t* to) const override {
    const pair* const pairs = reinterpret_cast<const pair*>(records);
    for (std::size_t i = 0; i < count; ++i) to[i] = word_(pairs[i].key);
  }
  void put(std::size_t first, std::size_t count, const std::byte* records,
           bool stream) const override {
    const pair* const pairs = reinterpret_cast<const pair*>(records);
    put_part(pairs, count, &pair::key, keys_, first, stream);
    put_part(pairs, count, &pair::value, values_, first, stream);
  }

 private:
  /// Stores one part of each pair in an array, from place `first` on.
  template <class T, class Iterator>
  static void put_part(const pair* pairs, std::size_t count, T pair::*part, const Iterator& array,
                       std::size_t first, bool stream) {
    if constexpr (std::contiguous_iterator<Iterator> && std::is_trivially_copyable_v<T>) {
      constexpr std::size_t group = 128;
      std::array<T, group> parts;
      T* const to = std::to_address(array) + first;
      for (std::size_t i = 0; i < count; i += group) {
        const std::size_t some = std::min(group, count - i);
        for (std::size_t j = 0; j < some; ++j) parts[j] = pairs[i + j].*part;
        store_bytes(reinterpret_cast<const std::byte*>(parts.data()), some * sizeof(T),
                    reinterpret_cast<std::byte*>(to + i), stream);
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) of(array, first + i) = pairs[i].*part;
    }
  }
  template <class Iterator> static decltype(auto) of(const Iterator& first, std::size_t i) {
    return first[static_cast<std::iter_difference_t<Iterator>>(i)];
  }

  Keys keys_;
  Values values_;
  leading_word<K> word_;
};

}  // namespace pleat::detail::sorting
