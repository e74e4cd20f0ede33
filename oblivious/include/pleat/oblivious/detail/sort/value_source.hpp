// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include <pleat/oblivious/detail/sort/order_traits.hpp>

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

}  // namespace pleat::detail::sorting
