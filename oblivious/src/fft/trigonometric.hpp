// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

/// Kind of a transform by cosines or sines, forward.
struct trigonometric_kind {
  unsigned type = 2;            ///< 1 … 4
  bool sines = false;           ///< else cosines
  bool orthogonalized = false;  ///< the ends are scaled so that, with the factor, it is orthogonal
};

/// Transforms of lines of n real numbers by cosines or sines, through a Fourier transform: of real
/// numbers that are extended (type 1), of n real numbers in another order (2, 3), or of n/2 complex
/// ones (4; of 2n, half of them 0, if n is odd).
///
/// Source: Makhoul, A Fast Cosine Transform in One and Two Dimensions, 1980 (types 2 and 3); Wang,
/// Fast Algorithms for the Discrete W Transform and for the Discrete Fourier Transform, 1984 (4).
template <class T> class trigonometric_line {
 public:
  /// Requires n ≥ 1, and n ≥ 2 for cosines of type 1. `scale` is of the results.
  trigonometric_line(const trigonometric_kind& kind, std::size_t n, T scale);

  /// Numbers of memory, aligned to a line.
  [[nodiscard]] std::size_t numbers() const noexcept;
  /// Transforms `count` lines, one behind the other; `from` may be `to`.
  void operator()(const T* from, T* to, std::size_t count, T* memory) const noexcept;

 private:
  /// Steps before the Fourier transform of a line, and after it.
  void enter(const T* x, T* points) const noexcept;
  void leave(const T* results, T* y) const noexcept;
  void enter_type1(const T* x, T* points) const noexcept;
  void leave_type1(const T* results, T* y) const noexcept;
  void enter_type2(const T* x, T* points) const noexcept;
  void leave_type2(const T* results, T* y) const noexcept;
  void enter_type3(const T* x, T* points) const noexcept;
  void leave_type3(const T* results, T* y) const noexcept;
  void enter_type4(const T* x, T* points) const noexcept;
  void leave_type4(const T* results, T* y) const noexcept;

  /// Lines that are transformed together, side by side.
  static constexpr std::size_t together = 16;

  trigonometric_kind kind_;
  std::size_t n_;
  T scale_;
  batch<T> inner_;
  root_table roots_;
  std::size_t points_, results_;  ///< numbers of one inner transform, in and out
};

}  // namespace pleat::detail::fourier
