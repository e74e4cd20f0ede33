// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include <pleat/oblivious/grid_view.hpp>

// The serial sweep by the book: every cell of every step, out of place, neighbours found by
// arithmetic on indices. Nothing of the library's but the names of the boundaries.

template <std::size_t D> using sizes = std::array<std::size_t, D>;
template <std::size_t D> using edges_of = std::array<pleat::boundary, D>;

template <class T, std::size_t D> struct reference_grid {
  sizes<D> size;
  std::vector<T> cells;

  [[nodiscard]] std::size_t place(const std::array<long, D>& x) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < D; ++i) at = at * size[i] + static_cast<std::size_t>(x[i]);
    return at;
  }
};

template <class T, std::size_t D> struct reference_cell {
  const reference_grid<T, D>* now;
  const reference_grid<T, D>* earlier;
  edges_of<D> edges;
  std::array<long, D> x;

  template <class... Steps> T operator()(Steps... steps) const {
    std::array<long, D> at = x;
    const std::array<long, D> by{steps...};
    for (std::size_t i = 0; i < D; ++i) {
      const auto n = static_cast<long>(now->size[i]);
      at[i] += by[i];
      if (at[i] >= 0 && at[i] < n) continue;
      if (edges[i] == pleat::boundary::periodic)
        at[i] = (at[i] + n) % n;
      else
        at[i] = at[i] < 0 ? 0 : n - 1;
    }
    return now->cells[now->place(at)];
  }
  [[nodiscard]] T before() const { return earlier->cells[earlier->place(x)]; }
};

template <std::size_t D, class Visit>
void for_each_cell(const sizes<D>& size, const edges_of<D>& edges, const Visit& visit) {
  for (const std::size_t n : size)
    if (n == 0) return;
  std::array<long, D> x{};
  for (;;) {
    bool changes = true;
    for (std::size_t i = 0; i < D; ++i)
      changes = changes && (edges[i] != pleat::boundary::fixed ||
                            (x[i] > 0 && x[i] + 1 < static_cast<long>(size[i])));
    if (changes) visit(x);
    std::size_t i = D;
    while (i > 0 && ++x[i - 1] == static_cast<long>(size[i - 1])) x[--i] = 0;
    if (i == 0) return;
  }
}

/// One field; `earlier` is read by kernels that ask for before().
template <class T, std::size_t D, class Kernel>
void reference_step(reference_grid<T, D>& now, reference_grid<T, D>& earlier,
                    const edges_of<D>& edges, const Kernel& kernel) {
  reference_grid<T, D> next = now;
  for_each_cell<D>(now.size, edges, [&](const std::array<long, D>& x) {
    next.cells[next.place(x)] =
        static_cast<T>(kernel(reference_cell<T, D>{&now, &earlier, edges, x}));
  });
  earlier = std::move(now);
  now = std::move(next);
}

template <class T> std::vector<T> random_cells(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> cells(n);
  for (T& c : cells) {
    if constexpr (std::is_floating_point_v<T>)
      c = static_cast<T>(random() % 20011) / static_cast<T>(1013);
    else if constexpr (sizeof(T) == 1)
      c = static_cast<T>(random() % 3 == 0);
    else
      c = static_cast<T>(random());
  }
  return cells;
}
