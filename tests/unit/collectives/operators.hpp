// SPDX-License-Identifier: Apache-2.0
// Associative operators, most of which do not commute, and data for them.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "collective_runs.hpp"

namespace collective_runs {

/// Matrix of whole numbers modulo 2^32.
struct matrix {
  std::uint32_t a, b, c, d;
};
struct matrix_product {
  matrix operator()(const matrix& x, const matrix& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
};

/// Text, as much of it as fits.
struct text {
  unsigned char length;
  char letters[39];
};
struct concatenation {
  text operator()(const text& x, const text& y) const {
    text both = x;
    const std::size_t more = std::min<std::size_t>(y.length, sizeof both.letters - x.length);
    std::memcpy(both.letters + x.length, y.letters, more);
    both.length = static_cast<unsigned char>(x.length + more);
    return both;
  }
};

template <std::size_t Size, std::size_t Alignment = 1> struct alignas(Alignment) permutation {
  std::array<unsigned char, Size> image;
};
struct composition {
  template <std::size_t N, std::size_t A>
  permutation<N, A> operator()(const permutation<N, A>& x, const permutation<N, A>& y) const {
    permutation<N, A> both;
    for (std::size_t i = 0; i < N; ++i) both.image[i] = y.image[x.image[i]];
    return both;
  }
};

struct bytewise_sum {
  template <std::size_t N, std::size_t A>
  bytes_of<N, A> operator()(const bytes_of<N, A>& x, const bytes_of<N, A>& y) const {
    bytes_of<N, A> sum;
    for (std::size_t i = 0; i < N; ++i)
      sum.bytes[i] = static_cast<unsigned char>(x.bytes[i] + y.bytes[i]);
    return sum;
  }
};

namespace detail {

template <class T> struct value {
  static T of(std::size_t rank, std::size_t i) { return made<T>(rank, i); }
};
template <std::floating_point T> struct value<T> {
  static T of(std::size_t rank, std::size_t i) {
    return static_cast<T>(made<std::int32_t>(rank, i)) / T(7);
  }
};
template <> struct value<text> {
  static text of(std::size_t rank, std::size_t i) {
    text x{};
    x.length = static_cast<unsigned char>(1 + (rank + i) % 3);
    for (std::size_t k = 0; k < x.length; ++k) x.letters[k] = static_cast<char>('A' + rank + k);
    return x;
  }
};
template <std::size_t N, std::size_t A> struct value<permutation<N, A>> {
  static permutation<N, A> of(std::size_t rank, std::size_t i) {
    permutation<N, A> x;
    std::iota(x.image.begin(), x.image.end(), static_cast<unsigned char>(0));
    for (std::size_t k = N; k > 1; --k)
      std::swap(x.image[k - 1], x.image[mixed(rank * 77777 + i * N + k) % k]);
    return x;
  }
};

}  // namespace detail

/// Value of `rank` at place i.
template <class T> T value_for(std::size_t rank, std::size_t i) {
  return detail::value<T>::of(rank, i);
}

}  // namespace collective_runs
