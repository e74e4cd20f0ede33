// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace pleat::detail::sorting {

/// Tells whether an order is known to be a strict weak order. The library's own are, and have
/// `static constexpr bool trusted = true`. A user's order may be none; then the order of the result
/// is unspecified, but no memory beyond the values is accessed, and no value is lost.
template <class Order> inline constexpr bool trusted_order = false;
template <class Order>
requires(Order::trusted) inline constexpr bool trusted_order<Order> = true;

/// Tells whether no two values are equal in an order: it has `static constexpr bool total = true`.
template <class Order> inline constexpr bool total_order = false;
template <class Order>
requires(Order::total) inline constexpr bool total_order<Order> = true;

/// Words that the kernels sort: unsigned integers, upwards. Equal words are indistinguishable, so
/// ties need no rule, and the greatest word can stand for a key that is not there.
template <class U>
concept sort_word = std::same_as<U, std::uint8_t> || std::same_as<U, std::uint16_t> ||
    std::same_as<U, std::uint32_t> || std::same_as<U, std::uint64_t>;

template <sort_word U> inline constexpr U no_key = std::numeric_limits<U>::max();

/// Bijection between the bits of an arithmetic key and the word that is sorted in its place.
///
/// Integers: the word is bits ^ flip (the sign bit of signed types, all bits when descending).
/// Floating point: negative numbers have all their bits flipped, the others the sign bit, and then
/// the words are rotated so that -infinity becomes 0. Hence -0.0 precedes +0.0 and every NaN comes
/// last, whatever its sign. Descending order sorts -x, so NaNs are last there too.
template <sort_word U> struct key_map {
  U flip = 0;             ///< applied to the bits first
  U offset = 0;           ///< floating point: what -infinity maps to before the rotation
  bool floating = false;  ///< a sign and a magnitude, not two's complement

  static constexpr unsigned last_bit = 8 * sizeof(U) - 1;
  static constexpr U sign = static_cast<U>(U{1} << last_bit);

  [[nodiscard]] constexpr bool identity() const noexcept { return flip == 0 && !floating; }

  [[nodiscard]] constexpr U to_word(U bits) const noexcept {
    bits = static_cast<U>(bits ^ flip);
    if (!floating) return bits;
    // Selects all bits if the sign bit is set, else the sign bit alone; without a branch.
    const U mask = static_cast<U>((U{0} - (bits >> last_bit)) | sign);
    return static_cast<U>((bits ^ mask) - offset);
  }
  [[nodiscard]] constexpr U from_word(U word) const noexcept {
    if (!floating) return static_cast<U>(word ^ flip);
    word = static_cast<U>(word + offset);
    const U mask = static_cast<U>(((word >> last_bit) - 1) | sign);
    return static_cast<U>(word ^ mask ^ flip);
  }
};

template <std::size_t Bytes> struct word_of_size;
template <> struct word_of_size<1> : std::type_identity<std::uint8_t> {};
template <> struct word_of_size<2> : std::type_identity<std::uint16_t> {};
template <> struct word_of_size<4> : std::type_identity<std::uint32_t> {};
template <> struct word_of_size<8> : std::type_identity<std::uint64_t> {};

/// Tells whether keys of this type can be sorted as words of their own size. Numbers of 16 bytes,
/// arithmetic types of compilers with extensions, cannot.
template <class T>
inline constexpr bool has_word =
    std::is_arithmetic_v<T> && !std::same_as<T, long double> && sizeof(T) <= 8;

template <class T>
requires has_word<T>
using word_of = typename word_of_size<sizeof(T)>::type;

enum class key_order { ascending, descending, custom };

/// Order of T's that a comparator, or a std::reference_wrapper of one, stands for.
template <class T, class Compare>
inline constexpr key_order order_of =
    std::same_as<Compare, std::ranges::less> || std::same_as<Compare, std::less<>> ||
            std::same_as<Compare, std::less<T>>
        ? key_order::ascending
    : std::same_as<Compare, std::ranges::greater> || std::same_as<Compare, std::greater<>> ||
            std::same_as<Compare, std::greater<T>>
        ? key_order::descending
        : key_order::custom;
template <class T, class Compare>
inline constexpr key_order order_of<T, std::reference_wrapper<Compare>> =
    order_of<T, std::remove_const_t<Compare>>;

/// Returns the bijection for arithmetic type T in the given direction.
template <class T>
requires has_word<T>
constexpr key_map<word_of<T>> key_map_of(bool descending) noexcept {
  using U = word_of<T>;
  key_map<U> map;
  if constexpr (std::floating_point<T>) {
    static_assert(std::numeric_limits<T>::is_iec559, "floating-point keys must be IEEE 754");
    map.floating = true;
    map.flip = descending ? key_map<U>::sign : U{0};
    map.offset = static_cast<U>(~std::bit_cast<U>(-std::numeric_limits<T>::infinity()));
  } else {
    if constexpr (std::is_signed_v<T>) map.flip = key_map<U>::sign;
    if (descending) map.flip = static_cast<U>(~map.flip);
  }
  return map;
}

/// Order of floating-point types that no word holds, the same as by key_map: NaNs last, -0.0 before
/// +0.0.
/// All NaNs are equivalent to one another.
template <std::floating_point T> struct total_less {
  static constexpr bool trusted = true;
  bool descending = false;

  [[nodiscard]] bool operator()(T a, T b) const noexcept {
    if (a != a || b != b) return a == a;
    if (a == b) {
      const bool a_negative = __builtin_signbit(a) != 0;  // std::signbit lacks some of the types
      const bool b_negative = __builtin_signbit(b) != 0;
      return a_negative != b_negative && a_negative != descending;
    }
    return descending ? b < a : a < b;
  }
};

/// Order of numbers that are keys of other values: NaNs last and equal to one another; zeros equal.
template <class K> struct number_order {
  static constexpr bool trusted = true;
  bool descending = false;

  bool operator()(K a, K b) const noexcept {
    const K x = descending ? b : a;
    const K y = descending ? a : b;
    if constexpr (std::floating_point<K>)  // without a branch: each would be mispredicted
      return static_cast<bool>(static_cast<unsigned>(!(y <= x)) &
                               static_cast<unsigned>(a == a));  // NOLINT(misc-redundant-expression)
    else
      return x < y;
  }
};

/// Returns the order that a comparator stands for with keys of type K: the library's rule for NaN.
/// Floating-point numbers compared by less or greater are in number_order, all other keys in the
/// comparator's. Returns an order or a reference to `less`: take it as auto&&.
template <class K, class Compare>
[[nodiscard]] constexpr decltype(auto) order_by(Compare& less) noexcept {
  constexpr key_order order = order_of<K, std::remove_const_t<Compare>>;
  if constexpr (std::floating_point<K> && order != key_order::custom)
    return number_order<K>{order == key_order::descending};
  else
    return (less);
}

/// Returns the equality that a predicate stands for with keys of type K. NaNs are equal to one
/// another where floating-point numbers are compared by equal_to.
template <class K, class Equal>
[[nodiscard]] constexpr decltype(auto) equality_by(Equal& same) noexcept {
  using equal = std::remove_cvref_t<std::unwrap_reference_t<Equal>>;
  if constexpr (std::floating_point<K> &&
                (std::same_as<equal, std::ranges::equal_to> ||
                 std::same_as<equal, std::equal_to<>> || std::same_as<equal, std::equal_to<K>>))
    return [](K a, K b) {
      if (a != a) [[unlikely]]  // NOLINT(misc-redundant-expression)
        return b != b;          // NOLINT(misc-redundant-expression)
      return a == b;
    };
  else
    return (same);
}

}  // namespace pleat::detail::sorting
