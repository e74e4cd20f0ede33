// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

#include <pleat/oblivious/detail/sort/key_and_value.hpp>
#include <pleat/oblivious/detail/sort/leading_word.hpp>
#include <pleat/oblivious/detail/sort/record_ends.hpp>

namespace pleat::detail::sorting {

/// Records that are the user's values, sorted by a key that a projection makes of them.
template <class Iterator, class Projection, class K>
class value_records final : public record_ends {
  using T = std::iter_value_t<Iterator>;

 public:
  value_records(Iterator values, Projection& projection, bool descending)
      : record_ends(sizeof(T)), values_(values), projection_(projection), word_{descending} {}

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
template <class Keys, class Values> class paired_records final : public record_ends {
  using K = std::iter_value_t<Keys>;
  using pair = key_and_value<K, std::iter_value_t<Values>>;

 public:
  paired_records(Keys keys, Values values, bool descending)
      : record_ends(sizeof(pair)), keys_(keys), values_(values), word_{descending} {}

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
