// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include <pleat/collectives/commutes.hpp>
#include <pleat/runtime/interval.hpp>

// Elements combined in lanes, as vectors do: the i-th of a group goes to lane i mod the number of
// lanes; then halves of the lanes are combined. There are as many lanes for all instruction sets,
// so that sums do not depend on these.
namespace pleat::detail::everyday {

/// Operators whose operands may change places, on numbers.
template <class T, class Op>
inline constexpr bool in_lanes = std::is_arithmetic_v<T> && !std::same_as<T, bool> &&
                                 sizeof(T) <= 8 && commutes<std::remove_cvref_t<Op>, T>::value;

template <class T> inline constexpr std::size_t lanes_of = 128 / sizeof(T);

/// Name of an operator of the standard for vectors of T; void if it is another.
template <class Op, class T> struct vector_operator { using type = void; };
template <class T> struct vector_operator<std::plus<>, T> { using type = std::plus<>; };
template <class T> struct vector_operator<std::plus<T>, T> { using type = std::plus<>; };
template <class T> struct vector_operator<std::multiplies<>, T> { using type = std::multiplies<>; };
template <class T> struct vector_operator<std::multiplies<T>, T> {
  using type = std::multiplies<>;
};
template <class T> struct vector_operator<std::bit_and<>, T> { using type = std::bit_and<>; };
template <class T> struct vector_operator<std::bit_and<T>, T> { using type = std::bit_and<>; };
template <class T> struct vector_operator<std::bit_or<>, T> { using type = std::bit_or<>; };
template <class T> struct vector_operator<std::bit_or<T>, T> { using type = std::bit_or<>; };
template <class T> struct vector_operator<std::bit_xor<>, T> { using type = std::bit_xor<>; };
template <class T> struct vector_operator<std::bit_xor<T>, T> { using type = std::bit_xor<>; };
template <class T> struct vector_operator<maximum, T> { using type = maximum; };
template <class T> struct vector_operator<minimum, T> { using type = minimum; };

/// 16 bytes of T's, which every x86-64 and AArch64 has in registers.
template <class T> struct vector_of {
  using type [[gnu::vector_size(16)]] = T;
  static constexpr std::size_t size = 16 / sizeof(T);

  template <class Get> [[gnu::always_inline]] static type take(const Get& get, std::size_t first) {
    return take(get, first, std::make_index_sequence<size>());
  }
  template <class Get, std::size_t... l>
  [[gnu::always_inline]] static type take(const Get& get, std::size_t first,
                                          std::index_sequence<l...>) {
    return type{static_cast<T>(get(first + l))...};
  }
};

/// Combines at least two rows of lanes. Whole rows only: the number is a multiple of lanes_of<T>.
/// Eight vectors with names, because an array of them would not be kept in registers. Returns the
/// operator, which may have noted what it has seen.
template <class Op, class T, class Get>
Op combine_rows_of_vectors(T* sum, interval<> rows, const Get& get) {
  using vectors = vector_of<T>;
  constexpr std::size_t w = vectors::size;
  using vector = typename vectors::type;
  Op op;
  std::size_t i = rows.first;
  vector a = vectors::take(get, i), b = vectors::take(get, i + w),
         c = vectors::take(get, i + 2 * w), d = vectors::take(get, i + 3 * w),
         e = vectors::take(get, i + 4 * w), f = vectors::take(get, i + 5 * w),
         g = vectors::take(get, i + 6 * w), h = vectors::take(get, i + 7 * w);
  for (i += 8 * w; i < rows.last; i += 8 * w) {
    a = op(a, vectors::take(get, i));
    b = op(b, vectors::take(get, i + w));
    c = op(c, vectors::take(get, i + 2 * w));
    d = op(d, vectors::take(get, i + 3 * w));
    e = op(e, vectors::take(get, i + 4 * w));
    f = op(f, vectors::take(get, i + 5 * w));
    g = op(g, vectors::take(get, i + 6 * w));
    h = op(h, vectors::take(get, i + 7 * w));
  }
  for (std::size_t l = 0; l < w; ++l) {
    sum[l] = a[l];
    sum[w + l] = b[l];
    sum[2 * w + l] = c[l];
    sum[3 * w + l] = d[l];
    sum[4 * w + l] = e[l];
    sum[5 * w + l] = f[l];
    sum[6 * w + l] = g[l];
    sum[7 * w + l] = h[l];
  }
  return op;
}

/// Combines rows by any operator.
template <class T, class Op, class Get>
void combine_rows(T* sum, interval<> rows, Op& op, const Get& get) {
  constexpr std::size_t lanes = lanes_of<T>;
  for (std::size_t l = 0; l < lanes; ++l) sum[l] = static_cast<T>(get(rows.first + l));
  for (std::size_t i = rows.first + lanes; i < rows.last; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l)
      sum[l] = static_cast<T>(op(sum[l], static_cast<T>(get(i + l))));
  }
}

/// get(first) ∘ … ∘ get(last − 1) in lanes. Requires: two rows of lanes at least.
template <class T, class Op, class Get>
[[nodiscard]] T combine_in_lanes(interval<> group, Op& op, const Get& get) {
  constexpr std::size_t lanes = lanes_of<T>;
  const interval<> rows{group.first, group.last - group.size() % lanes};
  T sum[lanes];
  using vector_op = typename vector_operator<std::remove_cvref_t<Op>, T>::type;
  if constexpr (std::is_void_v<vector_op>)
    everyday::combine_rows(sum, rows, op, get);
  else if constexpr (requires { op.note(vector_op()); })
    op.note(everyday::combine_rows_of_vectors<vector_op>(sum, rows, get));
  else
    everyday::combine_rows_of_vectors<vector_op>(sum, rows, get);
  for (std::size_t i = rows.last, l = 0; i < group.last; ++i, ++l)
    sum[l] = static_cast<T>(op(sum[l], static_cast<T>(get(i))));
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) sum[l] = static_cast<T>(op(sum[l], sum[l + half]));
  }
  return sum[0];
}

}  // namespace pleat::detail::everyday
