// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dense_rivals.hpp"

namespace pleat::bench::openmp {
namespace {

struct part_of {
  std::size_t first, last;
};

/// Improves paths(rows, columns) by paths that go through the vertices `through`.
template <class Kind, class T>
void relax(T* paths, std::size_t n, part_of rows, part_of through, part_of columns) {
  for (std::size_t k = through.first; k < through.last; ++k)
    for (std::size_t i = rows.first; i < rows.last; ++i) {
      const T to_k = paths[i * n + k];
      const T* const from_k = paths + k * n;
      T* const to = paths + i * n;
#pragma omp simd
      for (std::size_t j = columns.first; j < columns.last; ++j) {
        const T over = Kind::chained(to_k, from_k[j]);
        to[j] = Kind::better(over, to[j]) ? over : to[j];
      }
    }
}

}  // namespace

template <class Kind, class T> void find_paths(unsigned threads, std::size_t n, T* paths) {
  constexpr std::size_t block = 64;  // three blocks fit in the second-level cache
  const std::size_t blocks = (n + block - 1) / block;
  const auto of = [n](std::size_t b) { return part_of{b * block, std::min(n, (b + 1) * block)}; };
#pragma omp parallel num_threads(threads)
  for (std::size_t k = 0; k < blocks; ++k) {
#pragma omp single
    relax<Kind>(paths, n, of(k), of(k), of(k));
#pragma omp for schedule(static)
    for (std::size_t b = 0; b < blocks; ++b) {
      if (b == k) continue;
      relax<Kind>(paths, n, of(k), of(k), of(b));
      relax<Kind>(paths, n, of(b), of(k), of(k));
    }
#pragma omp for schedule(static) collapse(2)
    for (std::size_t i = 0; i < blocks; ++i)
      for (std::size_t j = 0; j < blocks; ++j)
        if (i != k && j != k) relax<Kind>(paths, n, of(i), of(k), of(j));
  }
}

#define PLEAT_OF_TYPE(T)                                               \
  template void find_paths<shortest_paths>(unsigned, std::size_t, T*); \
  template void find_paths<widest_paths>(unsigned, std::size_t, T*);
PLEAT_OF_TYPE(float)
PLEAT_OF_TYPE(double)
PLEAT_OF_TYPE(std::int32_t)
PLEAT_OF_TYPE(std::int64_t)
#undef PLEAT_OF_TYPE
template void find_paths<any_paths>(unsigned, std::size_t, std::uint8_t*);

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
