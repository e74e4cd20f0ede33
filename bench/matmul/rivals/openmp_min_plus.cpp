// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include <pleat/oblivious/semiring.hpp>

#include "matmul_rivals.hpp"

namespace pleat::bench {

template <class T>
void openmp_min_plus(std::size_t n, const T* a, const T* b, T* c, unsigned threads) {
  constexpr std::size_t rows = 32, inner = 64, columns = 1024;
  const auto blocks = static_cast<std::ptrdiff_t>((n + rows - 1) / rows);
#pragma omp parallel for schedule(dynamic) num_threads(static_cast <int>(threads))
  for (std::ptrdiff_t block = 0; block < blocks; ++block) {
    const std::size_t first = static_cast<std::size_t>(block) * rows;
    const std::size_t last = std::min(n, first + rows);
    std::fill(c + first * n, c + last * n, min_plus::zero<T>());
    for (std::size_t jj = 0; jj < n; jj += columns)
      for (std::size_t kk = 0; kk < n; kk += inner)
        for (std::size_t i = first; i < last; ++i)
          for (std::size_t k = kk; k < std::min(n, kk + inner); ++k) {
            const T x = a[i * n + k];
            const T* const from = b + k * n;
            T* const to = c + i * n;
            const std::size_t end = std::min(n, jj + columns);
            for (std::size_t j = jj; j < end; ++j) {
              const T sum = static_cast<T>(x + from[j]);
              to[j] = sum < to[j] ? sum : to[j];
            }
          }
  }
}

template void openmp_min_plus(std::size_t, const float*, const float*, float*, unsigned);
template void openmp_min_plus(std::size_t, const double*, const double*, double*, unsigned);
template void openmp_min_plus(std::size_t, const std::int32_t*, const std::int32_t*, std::int32_t*,
                              unsigned);
template void openmp_min_plus(std::size_t, const std::int64_t*, const std::int64_t*, std::int64_t*,
                              unsigned);

}  // namespace pleat::bench
