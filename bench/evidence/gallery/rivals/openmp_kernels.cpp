// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gallery_rivals.hpp"

namespace pleat::bench::openmp {
namespace {

constexpr std::size_t block = 64;  // three of them are in the second cache

struct part_of {
  std::size_t first, last;
};

/// lengths(rows, columns) by way of the places `through`.
template <bool note>
void relax(float* length, std::int32_t* before, std::size_t n, part_of rows, part_of through,
           part_of columns) {
  for (std::size_t k = through.first; k < through.last; ++k)
    for (std::size_t i = rows.first; i < rows.last; ++i) {
      const float to_k = length[i * n + k];
      const float* const from_k = length + k * n;
      float* const to = length + i * n;
      if constexpr (note) {
        const std::int32_t* const last = before + k * n;
        std::int32_t* const noted = before + i * n;
#pragma omp simd
        for (std::size_t j = columns.first; j < columns.last; ++j) {
          const float sum = to_k + from_k[j];
          noted[j] = sum < to[j] ? last[j] : noted[j];
          to[j] = sum < to[j] ? sum : to[j];
        }
      } else {
#pragma omp simd
        for (std::size_t j = columns.first; j < columns.last; ++j) {
          const float sum = to_k + from_k[j];
          to[j] = sum < to[j] ? sum : to[j];
        }
      }
    }
}

template <bool note>
void floyd(unsigned threads, float* length, std::int32_t* before, std::size_t n) {
  const std::size_t blocks = (n + block - 1) / block;
  const auto of = [n](std::size_t b) { return part_of{b * block, std::min(n, (b + 1) * block)}; };
#pragma omp parallel num_threads(threads)
  for (std::size_t k = 0; k < blocks; ++k) {
#pragma omp single
    relax<note>(length, before, n, of(k), of(k), of(k));
#pragma omp for schedule(static)
    for (std::size_t b = 0; b < blocks; ++b) {
      if (b == k) continue;
      relax<note>(length, before, n, of(k), of(k), of(b));
      relax<note>(length, before, n, of(b), of(k), of(k));
    }
#pragma omp for schedule(static) collapse(2)
    for (std::size_t i = 0; i < blocks; ++i)
      for (std::size_t j = 0; j < blocks; ++j)
        if (i != k && j != k) relax<note>(length, before, n, of(i), of(k), of(j));
  }
}

}  // namespace

void find_lengths(unsigned threads, std::vector<float>& lengths, std::size_t n) {
  floyd<false>(threads, lengths.data(), nullptr, n);
}

shortest_paths find_paths(unsigned threads, std::vector<float> streets, std::size_t n) {
  shortest_paths found{n, std::move(streets), std::vector<std::int32_t>(n * n)};
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) found.before[u * n + v] = static_cast<std::int32_t>(u);
    found.length[u * n + u] = 0;
  }
  floyd<true>(threads, found.length.data(), found.before.data(), n);
  return found;
}

std::vector<double> spread_noise(unsigned threads, std::span<const std::uint32_t> begins,
                                 map_size map, std::size_t steps) {
  const std::size_t side = map.cells;
  std::vector<double> now(side * side), next(side * side);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = begins[i + 1] - begins[i];
    const double* from = now.data();
    double* to = next.data();
    for (std::size_t step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
      for (std::size_t y = 0; y < side; ++y) {
        const double* const here = from + y * side;
        const double* const above = y > 0 ? here - side : here;
        const double* const below = y + 1 < side ? here + side : here;
        const auto cell = [=](std::size_t x, std::size_t left, std::size_t right) {
          to[y * side + x] =
              0.5 * here[x] + 0.125 * (above[x] + below[x] + here[left] + here[right]);
        };
        cell(0, 0, std::min<std::size_t>(1, side - 1));
#pragma omp simd
        for (std::size_t x = 1; x < side - 1; ++x) cell(x, x - 1, x + 1);
        if (side > 1) cell(side - 1, side - 2, side - 1);
      }
      double* const written = to;
      to = const_cast<double*>(from);
      from = written;
    }
  }
  return steps % 2 == 0 ? now : next;
}

}  // namespace pleat::bench::openmp
