// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace pleat::detail::sorting {

/// Values that may be moved about as bytes, between memory that holds them and memory that does
/// not: no constructor or destructor of theirs has anything to do.
template <class T>
inline constexpr bool byte_movable = std::is_trivially_copy_constructible_v<T>&&
    std::is_trivially_destructible_v<T>&& std::is_copy_assignable_v<T>;

// What value_column sorts is a source: keys that can be loaded from and stored to n places, and
// their order, which all VPs ask at once.
//
//   using key                          byte_movable: what the columns move
//   using order_type                   bool(const key&, const key&) const, a strict weak order
//   const order_type* order
//   key load(std::size_t i) const      before any store, by any VP
//   void store(std::size_t i, const key&) const      each place once
//   static constexpr bool in_place     what is stored is what was loaded

/// The user's values, as they are.
template <class Iterator, class Order> struct value_source {
  using key = std::iter_value_t<Iterator>;
  using order_type = Order;
  static constexpr bool in_place = true;

  Iterator values;
  const Order* order;

  [[nodiscard]] const key& load(std::size_t i) const { return values[offset(i)]; }
  void store(std::size_t i, const key& value) const { values[offset(i)] = value; }

 private:
  static auto offset(std::size_t i) { return static_cast<std::iter_difference_t<Iterator>>(i); }
};

/// A value and where it was.
template <class T, class Index> struct tagged {
  T value;
  Index index;
};

/// Equal values stay in the order of their places. One question to the comparator each.
template <class Order> struct tagged_order {
  static constexpr bool total = true;
  const Order* less;

  template <class Tagged> bool operator()(const Tagged& a, const Tagged& b) const {
    return a.index < b.index ? !(*less)(b.value, a.value) : (*less)(a.value, b.value);
  }
};

/// The user's values, which the columns move together with their places.
template <class Iterator, class Index, class Order> struct tagged_source {
  using key = tagged<std::iter_value_t<Iterator>, Index>;
  using order_type = tagged_order<Order>;
  static constexpr bool in_place = true;

  Iterator values;
  const order_type* order;

  [[nodiscard]] key load(std::size_t i) const {
    return {values[static_cast<std::iter_difference_t<Iterator>>(i)], static_cast<Index>(i)};
  }
  void store(std::size_t i, const key& k) const {
    values[static_cast<std::iter_difference_t<Iterator>>(i)] = k.value;
  }
};

}  // namespace pleat::detail::sorting
