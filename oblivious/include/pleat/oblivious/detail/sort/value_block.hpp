// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <pleat/oblivious/detail/sort/sort_copied.hpp>
#include <pleat/oblivious/detail/sort/sort_in_place.hpp>
#include <pleat/oblivious/detail/sort/value_source.hpp>

namespace pleat::detail::sorting {

/// Steps of a VP that need no matrix: on its own block, on keys in scratch memory ("home"), and on
/// all keys if it sorts alone.
template <class Source> struct value_block {
  using key = typename Source::key;
  using source = Source;
  using order_type = typename Source::order_type;
  using home_source = value_source<key*, order_type>;

  static void load(const source& keys, std::size_t first, std::size_t count, key* to) {
    const key* const from = keys.look(first, count, to);
    if (from != to) std::uninitialized_copy_n(from, count, to);
  }
  static void store(const key* from, const source& keys, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keys.store(first + i, from[i]);
  }
  [[nodiscard]] static home_source home(key* values, const source& like) noexcept {
    return {values, like.order};
  }
  [[nodiscard]] static bool before(const source& keys, const key& a, const key& b) {
    return (*keys.order)(a, b);
  }
  /// Puts all keys back into the user's array after a failure, if that is where they are stored.
  static void restore(const key* sorted, const source& keys, std::size_t n) {
    if constexpr (source::in_place) store(sorted, keys, 0, n);
  }
  /// Stores keys [first, first + count), which are already in order, unless they are sorted in
  /// place.
  static void leave(const source& keys, std::size_t first, std::size_t count) {
    if constexpr (!source::in_place)
      in_groups(keys, first, count, [&](std::size_t i, const key& k) {
        keys.store(i, k);
        return true;
      });
  }
  /// Sorts keys in scratch memory, in place.
  static void sort_home(const source& keys, std::size_t n) {
    sorting::sort_in_place(keys.values, n, *keys.order);
  }
  /// Number of keys for which sort_alone needs memory.
  [[nodiscard]] static std::size_t alone_keys(std::size_t n) noexcept {
    return n + sorting::sort_room<key>(n);
  }
  /// Sorts without other VPs; returns false if all keys were in order. If the order throws, the
  /// array is unchanged.
  static bool sort_alone(const source& keys, std::size_t n, key* memory) {
    if (is_sorted(keys, 0, n)) {
      leave(keys, 0, n);
      return false;
    }
    const auto look = [&keys](std::size_t i, std::size_t count, key* room) {
      return keys.look(i, count, room);
    };
    sorting::sort_copied(n, look, *keys.order, memory + n, memory);
    store(memory, keys, 0, n);
    return true;
  }
  [[nodiscard]] static bool is_sorted(const source& keys, std::size_t first, std::size_t count) {
    if (count < 2) return true;
    raw_values<key, 1> last;
    load(keys, first, 1, last.data());
    return in_groups(keys, first + 1, count - 1, [&](std::size_t, const key& k) {
      if ((*keys.order)(k, *last.data())) return false;
      std::construct_at(last.data(), k);
      return true;
    });
  }

 private:
  /// Calls visit(i, key) for keys from `first` on while it returns true. The first group has two
  /// keys only, because two are enough to see that most arrays are not in order.
  template <class Visit>
  static bool in_groups(const source& keys, std::size_t first, std::size_t count,
                        const Visit& visit) {
    constexpr std::size_t largest = 32;
    raw_values<key, largest> group;
    std::size_t some = 0;
    for (std::size_t i = 0; i < count; i += some) {
      some = std::min(i == 0 ? 2 : largest, count - i);
      const key* const here = keys.look(first + i, some, group.data());
      for (std::size_t j = 0; j < some; ++j)
        if (!visit(first + i + j, here[j])) return false;
    }
    return true;
  }
};

}  // namespace pleat::detail::sorting
