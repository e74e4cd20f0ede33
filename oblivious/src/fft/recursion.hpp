// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/fft/alone.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/oblivious/detail/program/permute.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/place_order.hpp"

// The recursion of the paper on segments of VPs that hold b numbers each, both powers of two.
namespace pleat::detail::fourier {

/// Multiplies without the care for infinite numbers that std::complex takes.
template <class T>
std::complex<T> product(const std::complex<T>& a, const std::complex<T>& b) noexcept {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// State that the VPs of a recursion share: the order of its numbers, roots of unity, the plans of
/// the matrices that it ends in, and their memory.
template <class T> class recursion_space {
 public:
  /// Requires: n, vps powers of two, vps ≤ n.
  recursion_space(std::size_t n, std::size_t vps)
      : order_{n / vps, lanes<T>()}, roots_(n), plans_(std::bit_width(n)) {
    plan_ends(n);
  }

  /// Numbers of memory for each VP, whole lines.
  [[nodiscard]] std::size_t numbers() const noexcept { return numbers_; }
  void use(T* memory) noexcept { memory_ = memory; }

  [[nodiscard]] const place_order& order() const noexcept { return order_; }
  /// e^(−2πi·k/m), k < m.
  [[nodiscard]] std::complex<T> root_of(std::size_t k, std::size_t m) const noexcept {
    const root w = roots_(k * (roots_.order() / m));
    return {static_cast<T>(w.re), static_cast<T>(w.im)};
  }
  /// Plan of segments that the recursion ends in.
  [[nodiscard]] const transform_plan<T>& plan(std::size_t m) const noexcept {
    return *plans_[std::bit_width(m) - 1];
  }
  /// Memory of a segment whose VPs begin with `first`.
  [[nodiscard]] T* memory_of(std::size_t first) const noexcept {
    return memory_ + first * numbers_;
  }

 private:
  void plan_ends(std::size_t m) {
    auto& plan = plans_[std::bit_width(m) - 1];
    if (plan) return;
    if (m <= order_.block()) {
      plan = plan_for<T>(m);
    } else if (order_.ends(m)) {
      plan = make_matrix_plan<T>(m, lanes<T>());
      const std::size_t vps = m / order_.block();
      const std::size_t all = matrix_passes<T>::numbers({*plan, vps});
      numbers_ = std::max(numbers_, whole_lines<T>((all + vps - 1) / vps));
    } else if (m > 2) {
      plan_ends(halve(m).n1);
      plan_ends(halve(m).n2);
    }
  }

  place_order order_;
  root_table roots_;
  std::vector<std::shared_ptr<const transform_plan<T>>> plans_;  // by log2 of points
  std::size_t numbers_ = 0;
  T* memory_ = nullptr;
};

/// The end of the recursion on several VPs: the passes of a matrix.
template <class T>
task<> transform_strips(vp& me, segment seg, std::span<std::complex<T>> mine,
                        const recursion_space<T>& space) {
  T* const numbers = reinterpret_cast<T*>(mine.data());
  const tiling<T> tiles{space.plan(seg.size * mine.size()), seg.size};
  const std::size_t q = me.rank() - seg.first;
  return transform_matrix<T>(me, seg, tiles, strip_alone<const T>(numbers, tiles.taken_by(q)),
                             strip_alone<T>(numbers, tiles.left_by(q)), {},
                             matrix_passes<T>::memory_of(tiles, q, space.memory_of(seg.first)));
}

/// Ends the recursion on one VP, for as many transforms of m points as it has.
template <class T>
void transform_each(std::span<std::complex<T>> mine, std::size_t m,
                    const recursion_space<T>& space) {
  for (std::size_t i = 0; i < mine.size(); i += m) {
    T* const numbers = reinterpret_cast<T*>(mine.data() + i);
    transform_alone<T>(space.plan(m), numbers, {}, numbers);
  }
}

/// Transforms the numbers of a segment of w ≥ 2 VPs, of which this VP has `mine`, in place.
/// `space.order()` says which points they are, and which results they become.
///
/// Cost: with b = 1, 2^i supersteps of level i with the label (1 − 1/2^i)·log2 n of its segments,
/// h = 1; with dummy messages, which make the program wise, 2. With b > 1 the levels whose segments
/// are single VPs have none, and h = b.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// 2016, section 4.2.
template <class T>
task<> recursive_fft(vp& me, segment seg, std::span<std::complex<T>> mine,
                     const recursion_space<T>& space) {
  const place_order& order = space.order();
  const std::size_t rank = me.rank() - seg.first;
  const std::size_t m = seg.size * mine.size();
  if (order.ends(m)) {
    co_await transform_strips<T>(me, seg, mine, space);
    co_return;
  }
  if (m == 2) {  // a butterfly
    me.send(seg.first + (rank ^ 1), mine[0]);
    co_await me.sync(seg.label);
    const auto other = me.receive()->template get<std::complex<T>>();
    mine[0] = rank == 0 ? mine[0] + other : other - mine[0];
    co_return;
  }
  const auto [n1, n2] = halve(m);
  const segment column = seg.divide(n2, me.rank()).part;
  if (column.size == 1)
    transform_each<T>(mine, n1, space);
  else
    co_await recursive_fft<T>(me, column, mine, space);

  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::size_t place = rank * mine.size() + i;
    const std::size_t k = order.result_at(n1, place % n1);
    const std::size_t j = order.point_at(n2, reversed(place / n1, n2));
    mine[i] = product(mine[i], space.root_of(j * k, m));
  }
  const auto transposed = [m](std::size_t place) { return reversed(place, m); };
  co_await permute(me, seg, mine, transposed, transposed);

  const segment row = seg.divide(n1, me.rank()).part;
  if (row.size == 1)
    transform_each<T>(mine, n2, space);
  else
    co_await recursive_fft<T>(me, row, mine, space);
}

}  // namespace pleat::detail::fourier
