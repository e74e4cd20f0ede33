// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/detail/watch.hpp>

// Sequential kernels of the matrix product. Highway chooses the vector instructions at run time.
// Blocks are packed into panels that stay in the caches; tiles of the result are computed in
// registers. The kernels do not synchronise, allocate or throw.
//
// Source of the blocking: Goto, van de Geijn, Anatomy of High-Performance Matrix Multiplication,
// 2008; Van Zee, van de Geijn, BLIS: A Framework for Rapidly Instantiating BLAS Functionality,
// 2015.
namespace pleat::detail::matmul {

enum class algebra { plus_times, min_plus, max_plus, or_and, max_min };

/// Factor in the user's memory: element (i, j) is data[i * row_step + j * column_step].
template <class T> struct factor {
  const T* data = nullptr;
  std::size_t row_step = 0;
  std::size_t column_step = 1;
  bool conjugate = false;

  [[nodiscard]] const T* at(std::size_t i, std::size_t j) const noexcept {
    if (data == nullptr) return data;  // of an empty matrix
    return data + i * row_step + j * column_step;
  }
  /// Element of a matrix, by row and column.
  [[nodiscard]] const T& element(std::size_t i, std::size_t j) const noexcept {
    return data[i * row_step + j * column_step];
  }
};

/// Placeholder for the scaling factor of elements that are no numbers.
struct no_scaling {
  constexpr explicit no_scaling(int /*value*/ = 0) {}
  friend constexpr bool operator==(no_scaling, no_scaling) { return true; }
};
template <class T> using scalar = std::conditional_t<number<T>, T, no_scaling>;

/// C ← alpha·A·B, or with `accumulate` C ← alpha·A·B + C, row i of C starting at c[i * leading].
/// alpha counts for plus_times only.
template <class T> struct product {
  std::size_t rows, columns, inner;
  factor<T> a, b;
  T* c;
  std::size_t leading;
  scalar<T> alpha;
  bool accumulate;
};

/// Memory `multiply_packed` needs for the panels of a block no larger than this: at most some 7
/// MiB.
template <algebra S, class T>
PLEAT_API [[nodiscard]] std::size_t packed_bytes(std::size_t rows, std::size_t columns,
                                                 std::size_t inner);

/// Requires: `work` aligned to 64 bytes. Cost: about rows·columns·inner/(what the processor can do
/// in a cycle) cycles, and packing: A and B are read and written once (A once per 4000 columns).
template <algebra S, class T>
PLEAT_API void multiply_packed(const product<T>& block, std::byte* work);

/// Index type of `argmin_packed`: as wide as the elements.
template <class T> struct index_as_wide;
template <class T>
requires(sizeof(T) == 4) struct index_as_wide<T> {
  using type = std::int32_t;
};
template <class T>
requires(sizeof(T) == 8) struct index_as_wide<T> {
  using type = std::int64_t;
};
template <class T> using index_of = typename index_as_wide<T>::type;

/// min_plus, and where each minimum was: index[i * leading + j] is the least k, counted from
/// `first`, with a(i, k) + b(k, j) = c(i, j), or −1 if there is none but zero. With
/// `block.accumulate` an element that is not improved keeps its index.
template <class T>
PLEAT_API void argmin_packed(const product<T>& block, index_of<T>* index, std::size_t index_leading,
                             std::size_t first, std::byte* work);
template <class T>
PLEAT_API [[nodiscard]] std::size_t argmin_packed_bytes(std::size_t rows, std::size_t columns,
                                                        std::size_t inner);

/// The type whose kernel multiplies T over a semiring, or void: unsigned integers for arithmetic
/// that wraps and for bits, else integers of fixed size.
template <class S, class T> constexpr auto kernel_type() {
  if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    if constexpr (!std::same_as<S, or_and>) return T{};
  } else if constexpr (std::same_as<T, std::complex<float>> ||
                       std::same_as<T, std::complex<double>>) {
    if constexpr (std::same_as<S, plus_times>) return T{};
  } else if constexpr (std::same_as<S, or_and> && sizeof(T) == 1) {
    return std::uint8_t{};
  } else if constexpr (std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8)) {
    constexpr bool is_signed =
        std::is_signed_v<T> && !std::same_as<S, or_and> && !std::same_as<S, plus_times>;
    if constexpr (is_signed)
      return std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>{};
    else
      return std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>{};
  }
}
template <class S>
inline constexpr bool built_in =
    std::same_as<S, plus_times> || std::same_as<S, min_plus> || std::same_as<S, max_plus> ||
    std::same_as<S, max_min> || std::same_as<S, or_and>;
template <class S, class T> struct kernel_word { using type = void; };
template <class S, class T>
requires built_in<S>
struct kernel_word<S, T> {
  using type = decltype(matmul::kernel_type<S, T>());
};

template <class S>
inline constexpr algebra algebra_of = std::same_as<S, plus_times> ? algebra::plus_times
                                      : std::same_as<S, min_plus> ? algebra::min_plus
                                      : std::same_as<S, max_plus> ? algebra::max_plus
                                      : std::same_as<S, max_min>  ? algebra::max_min
                                                                  : algebra::or_and;

/// Products of no more multiplications than this are not worth packing.
inline constexpr std::size_t packed_from = 1024;

template <class T> T element_of(const factor<T>& f, std::size_t i, std::size_t j) {
  if constexpr (complex_number<T>)
    return f.conjugate ? std::conj(f.element(i, j)) : f.element(i, j);
  else
    return f.element(i, j);
}

/// Multiplies by loops that are easy to read: any semiring, any type; small blocks.
template <class S, class T> void multiply_plainly(const product<T>& block) {
  constexpr std::size_t together = 64;  // rows of B that stay in a cache
  constexpr bool scaled = std::same_as<S, plus_times> && number<T>;
  if (!block.accumulate)
    for (std::size_t i = 0; i < block.rows; ++i)
      std::fill_n(block.c + i * block.leading, block.columns, T(matmul::zero_of<S, T>()));
  for (std::size_t first = 0; first < block.inner; first += together) {
    const std::size_t last = std::min(block.inner, first + together);
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (given_up()) return;
      T* const row = block.c + i * block.leading;
      for (std::size_t p = first; p < last; ++p) {
        T x = matmul::element_of(block.a, i, p);
        if constexpr (scaled) x = S::times(x, block.alpha);
        if (block.b.column_step == 1 && !block.b.conjugate) {
          const T* const y = block.b.at(p, 0);
          for (std::size_t j = 0; j < block.columns; ++j)
            row[j] = S::plus(row[j], static_cast<T>(S::times(x, y[j])));
        } else {
          for (std::size_t j = 0; j < block.columns; ++j)
            row[j] =
                S::plus(row[j], static_cast<T>(S::times(x, matmul::element_of(block.b, p, j))));
        }
      }
    }
  }
}

template <class S, class T> bool is_packed(std::size_t m, std::size_t n, std::size_t k) {
  return !std::is_void_v<typename kernel_word<S, T>::type> && m * n * k > packed_from;
}

/// Memory `multiply_block` needs for a block no larger than this.
template <class S, class T> std::size_t block_bytes(std::size_t m, std::size_t n, std::size_t k) {
  if (!matmul::is_packed<S, T>(m, n, k)) return 0;
  if constexpr (!std::is_void_v<typename kernel_word<S, T>::type>)
    return matmul::packed_bytes<algebra_of<S>, typename kernel_word<S, T>::type>(m, n, k);
  return 0;
}

template <class U, class T> factor<U> factor_as(const factor<T>& f) {
  return {reinterpret_cast<const U*>(f.data), f.row_step, f.column_step, f.conjugate};
}

/// Multiplies by the best kernel there is for the product.
template <class S, class T> void multiply_block(const product<T>& block, std::byte* work) {
  if (!matmul::is_packed<S, T>(block.rows, block.columns, block.inner))
    return matmul::multiply_plainly<S>(block);
  using U = typename kernel_word<S, T>::type;
  if constexpr (std::same_as<U, T>) {
    matmul::multiply_packed<algebra_of<S>, T>(block, work);
  } else if constexpr (!std::is_void_v<U>) {
    const product<U> same{block.rows,
                          block.columns,
                          block.inner,
                          matmul::factor_as<U>(block.a),
                          matmul::factor_as<U>(block.b),
                          reinterpret_cast<U*>(block.c),
                          block.leading,
                          static_cast<U>(block.alpha),
                          block.accumulate};
    matmul::multiply_packed<algebra_of<S>, U>(same, work);
  }
}

}  // namespace pleat::detail::matmul
