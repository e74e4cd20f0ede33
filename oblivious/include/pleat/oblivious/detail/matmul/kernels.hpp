// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pleat/oblivious/semiring.hpp>

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

/// The types the kernels below exist for; the others take `multiply_plainly`. Smaller and other
/// types of the same size and arithmetic are passed as these.
template <algebra S, class T>
inline constexpr bool has_kernel =
    S == algebra::plus_times
        ? std::same_as<T, float> || std::same_as<T, double> ||
              std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>> ||
              std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>
    : S == algebra::or_and ? std::same_as<T, std::uint8_t> || std::same_as<T, std::uint32_t> ||
                                 std::same_as<T, std::uint64_t>
                           : std::same_as<T, float> || std::same_as<T, double> ||
                                 std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
                                 (S != algebra::max_plus && (std::same_as<T, std::uint32_t> ||
                                                             std::same_as<T, std::uint64_t>));

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

}  // namespace pleat::detail::matmul
