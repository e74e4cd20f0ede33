// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <pleat/oblivious/semiring.hpp>

#include "matmul_rivals.hpp"

namespace pleat::bench {
namespace {

// Chains lengths as people write it, without what the library's semirings do about infinite
// integers.
template <class Semiring, class T> T chained(T a, T b) {
  if constexpr (std::is_same_v<Semiring, min_plus>) return static_cast<T>(a + b);
  return a < b ? a : b;
}
template <class Semiring, class T> T better(T a, T b) {
  if constexpr (std::is_same_v<Semiring, min_plus>) return a < b ? a : b;
  return a < b ? b : a;
}

}  // namespace

template <class Semiring, class T>
void openmp_product(const product_shape& shape, const T* a, const T* b, T* c, unsigned threads) {
  const std::size_t m = shape.rows, n = shape.columns, depth = shape.inner;
  constexpr std::size_t rows = 32, inner = 64, columns = 1024;
  const auto blocks = static_cast<std::ptrdiff_t>((m + rows - 1) / rows);
#pragma omp parallel for schedule(dynamic) num_threads(static_cast <int>(threads))
  for (std::ptrdiff_t block = 0; block < blocks; ++block) {
    const std::size_t first = static_cast<std::size_t>(block) * rows;
    const std::size_t last = std::min(m, first + rows);
    std::fill(c + first * n, c + last * n, Semiring::template zero<T>());
    for (std::size_t jj = 0; jj < n; jj += columns)
      for (std::size_t kk = 0; kk < depth; kk += inner)
        for (std::size_t i = first; i < last; ++i)
          for (std::size_t k = kk; k < std::min(depth, kk + inner); ++k) {
            const T x = a[i * depth + k];
            const T* const from = b + k * n;
            T* const to = c + i * n;
            const std::size_t end = std::min(n, jj + columns);
            for (std::size_t j = jj; j < end; ++j)
              to[j] = better<Semiring>(to[j], chained<Semiring>(x, from[j]));
          }
  }
}

#define PLEAT_OF_TYPE(T)                                                                          \
  template void openmp_product<min_plus>(const product_shape&, const T*, const T*, T*, unsigned); \
  template void openmp_product<max_min>(const product_shape&, const T*, const T*, T*, unsigned);
PLEAT_OF_TYPE(float)
PLEAT_OF_TYPE(double)
PLEAT_OF_TYPE(std::int32_t)
PLEAT_OF_TYPE(std::int64_t)
#undef PLEAT_OF_TYPE

}  // namespace pleat::bench
