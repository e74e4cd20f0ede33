// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <span>

#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/program/permute.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// The recursion of the model on a segment of w VPs that hold b numbers each, both powers of two:
// m = w·b points are √m transforms of √m points, a transposition, and √m such transforms again.
// The numbers of a problem stand where its sub-problems want them; so one superstep a level is all.
namespace pleat::detail::fourier {

/// How m points on w VPs are divided.
struct halving {
  std::size_t n1, n2;  ///< columns of n1 points come first, then rows of n2
  std::size_t w1, w2;  ///< how many VPs a column has, and a row
};
constexpr halving halve_points(std::size_t m, std::size_t w) noexcept {
  const std::size_t n1 = std::size_t{1} << (std::bit_width(m) - 1) / 2;
  const std::size_t n2 = m / n1;
  return {n1, n2, std::max<std::size_t>(w / n2, 1), std::max<std::size_t>(w / n1, 1)};
}

/// Which point stands at a place before, which result after; and where a point stands.
constexpr std::size_t point_at(std::size_t m, std::size_t w, std::size_t place) noexcept {
  if (w == 1 || m == 2) return place;
  const halving h = halve_points(m, w);
  return point_at(h.n1, h.w1, place % h.n1) * h.n2 + place / h.n1;
}
constexpr std::size_t place_of(std::size_t m, std::size_t w, std::size_t point) noexcept {
  if (w == 1 || m == 2) return point;
  const halving h = halve_points(m, w);
  return point % h.n2 * h.n1 + place_of(h.n1, h.w1, point / h.n2);
}
constexpr std::size_t result_at(std::size_t m, std::size_t w, std::size_t place) noexcept {
  if (w == 1 || m == 2) return place;
  const halving h = halve_points(m, w);
  return place / h.n2 + h.n1 * result_at(h.n2, h.w2, place % h.n2);
}

/// e^(−2πi·k/m), m a divisor of the table's order.
template <class T>
std::complex<T> root_of(const root_table& roots, std::size_t k, std::size_t m) noexcept {
  const root w = roots(k % m * (roots.order() / m));
  return {static_cast<T>(w.re), static_cast<T>(w.im)};
}
template <class T>
std::complex<T> product(const std::complex<T>& a, const std::complex<T>& b) noexcept {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// m points, a power of two, of one VP, in place: Cooley and Tukey's, without further memory.
template <class T> void transform_small(std::span<std::complex<T>> x, const root_table& roots) {
  const std::size_t m = x.size();
  for (std::size_t i = 0, reversed = 0; i + 1 < m; ++i) {
    if (i < reversed) std::swap(x[i], x[reversed]);
    std::size_t bit = m / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed |= bit;
  }
  for (std::size_t half = 1; half < m; half *= 2) {
    for (std::size_t k = 0; k < half; ++k) {
      const std::complex<T> w = root_of<T>(roots, k, 2 * half);
      for (std::size_t i = k; i < m; i += 2 * half) {
        const std::complex<T> b = product(x[i + half], w);
        x[i + half] = x[i] - b;
        x[i] += b;
      }
    }
  }
}

/// Transforms the numbers of a segment, `mine.size()` in each VP. Requires: as many VPs as numbers
/// in each, or more; `point_at` and `result_at` say which numbers they are.
/// Cost: 2^i supersteps of level i with its segments' label, (1 − 1/2^i)·log2 n; h = b, and 2b with
/// dummy messages, which make it wise.
/// Source: Bilardi et al., Network-Oblivious Algorithms, section 4.
template <class T>
task<> recursive_fft(vp& me, segment seg, std::span<std::complex<T>> mine,
                     const root_table& roots) {
  const std::size_t b = mine.size();
  const std::size_t m = seg.size * b;
  const std::size_t rank = me.rank() - seg.first;
  if (m == 2) {
    const std::size_t partner = seg.first + (rank ^ 1);
    me.send(partner, mine[0]);
    co_await me.sync(seg.label);
    const auto other = me.receive()->template get<std::complex<T>>();
    mine[0] = rank == 0 ? mine[0] + other : other - mine[0];
    co_return;
  }
  const halving h = halve_points(m, seg.size);
  const segment column = seg.divide(h.n2, me.rank()).part;
  if (column.size == 1) {
    for (std::size_t i = 0; i < b; i += h.n1) transform_small<T>(mine.subspan(i, h.n1), roots);
  } else {
    co_await recursive_fft<T>(me, column, mine, roots);
  }
  for (std::size_t i = 0; i < b; ++i) {
    const std::size_t place = rank * b + i;
    const std::size_t k = result_at(h.n1, h.w1, place % h.n1);
    const std::complex<T> w = root_of<T>(roots, k * (place / h.n1), m);
    mine[i] = product(mine[i], w);
  }
  co_await permute(me, seg, mine, [h](std::size_t place) {
    return result_at(h.n1, h.w1, place % h.n1) * h.n2 + place_of(h.n2, h.w2, place / h.n1);
  });
  const segment row = seg.divide(h.n1, me.rank()).part;
  if (row.size == 1) {
    for (std::size_t i = 0; i < b; i += h.n2) transform_small<T>(mine.subspan(i, h.n2), roots);
  } else {
    co_await recursive_fft<T>(me, row, mine, roots);
  }
}

}  // namespace pleat::detail::fourier
