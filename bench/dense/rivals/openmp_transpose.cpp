// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>

#include "dense_rivals.hpp"

namespace pleat::bench::openmp {

template <class T> void transpose(unsigned threads, std::size_t n, const T* in, T* out) {
  constexpr std::size_t block = 32;
  const std::size_t blocks = (n + block - 1) / block;
  if (in == out) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (std::size_t a = 0; a < blocks; ++a)
      for (std::size_t b = a; b < blocks; ++b)
        for (std::size_t i = a * block; i < std::min(n, (a + 1) * block); ++i)
          for (std::size_t j = std::max(i + 1, b * block); j < std::min(n, (b + 1) * block); ++j)
            std::swap(out[i * n + j], out[j * n + i]);
    return;
  }
#pragma omp parallel for num_threads(threads) collapse(2) schedule(static)
  for (std::size_t a = 0; a < blocks; ++a)
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t i = a * block; i < std::min(n, (a + 1) * block); ++i)
        for (std::size_t j = b * block; j < std::min(n, (b + 1) * block); ++j)
          out[i * n + j] = in[j * n + i];
}

template void transpose(unsigned, std::size_t, const float*, float*);
template void transpose(unsigned, std::size_t, const double*, double*);

}  // namespace pleat::bench::openmp
