// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <pleat/oblivious/detail/stencil/box.hpp>

namespace pleat::detail::stencils {

/// True if rows of these types can be kept in vectors while the user's kernel, which is written for
/// single cells, computes one row from three in a loop over their cells. Only GCC turns such a loop
/// into one instruction for each operation and keeps the vectors in registers.
#if defined(__GNUC__) && !defined(__clang__)
template <class... T>
inline constexpr bool fit_vectors =
    ((std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8) && ...);
#else
template <class... T> inline constexpr bool fit_vectors = false;
#endif

/// Vector of `Count` cells.
template <class C, offset Count> struct vector_of {
  using type [[gnu::vector_size(static_cast<std::size_t>(Count) * sizeof(C))]] = C;
};
template <class C, offset Count> using vector = typename vector_of<C, Count>::type;

}  // namespace pleat::detail::stencils
