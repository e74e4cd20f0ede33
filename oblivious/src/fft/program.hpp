// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/key_messages.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/line.hpp"

// Division of m points, a power of two, by the recursion, and the order of numbers in it.
namespace pleat::detail::fourier {

/// m points are a matrix of n1 rows and n2 columns: n2 columns of n1 points are transformed, then
/// n1 rows of n2.
struct halves {
  std::size_t n1, n2;
};
constexpr halves halve(std::size_t m) noexcept {
  const std::size_t n1 = std::size_t{1} << (std::bit_width(m) - 1) / 2;
  return {n1, m / n1};
}

/// The low log2 m bits of k in the opposite order.
constexpr std::size_t reversed(std::size_t k, std::size_t m) noexcept {
  std::size_t result = 0;
  for (; m > 1; m /= 2, k /= 2) result = 2 * result + k % 2;
  return result;
}

/// Order of numbers: place i of a segment is number i % b of its VP i / b.
///
/// Points stand so that each column is that of a sub-segment, and results so that each row is.
/// Their order within the columns, and within the rows, is their own; that of the columns, and of
/// the rows, is chosen such that what takes the results of the columns to the rows, a
/// transposition, is the reversal of the bits of the places.
class place_order {
 public:
  /// Makes the order for b numbers in each VP and `lanes` in a vector, both powers of two.
  constexpr place_order(std::size_t b, std::size_t lanes) noexcept : block_(b), largest_end_(b) {
    while (halve(2 * largest_end_).n1 >= 2 * largest_end_ / b * lanes) largest_end_ *= 2;
  }

  [[nodiscard]] constexpr std::size_t block() const noexcept { return block_; }
  /// Tells whether the recursion ends at m points, in the passes of a matrix: on one VP, and where
  /// the strip of each VP is whole tiles.
  [[nodiscard]] constexpr bool ends(std::size_t m) const noexcept { return m <= largest_end_; }

  [[nodiscard]] constexpr std::size_t point_at(std::size_t m, std::size_t place) const noexcept {
    const auto [n1, n2] = halve(m);
    if (ends(m)) return in_strips(m, n2, place);
    if (m == 2) return place;
    return point_at(n1, place % n1) * n2 + point_at(n2, reversed(place / n1, n2));
  }
  [[nodiscard]] constexpr std::size_t result_at(std::size_t m, std::size_t place) const noexcept {
    const auto [n1, n2] = halve(m);
    if (ends(m)) return in_strips(m, n1, place);
    if (m == 2) return place;
    return result_at(n1, reversed(place / n2, n1)) + n1 * result_at(n2, place % n2);
  }

 private:
  [[nodiscard]] constexpr std::size_t in_strips(std::size_t m, std::size_t columns,
                                                std::size_t place) const noexcept {
    if (m <= block_) return place;
    const std::size_t each = columns / (m / block_);
    const std::size_t first = place / block_ * each;
    return strip{columns, first, first + each}.number(place % block_);
  }

  std::size_t block_;
  std::size_t largest_end_;
};

// The recursion of the paper on segments of VPs that hold b numbers each, both powers of two.

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

  void lay_out(arena& in, std::size_t vps) { memory_ = in.array<T>(vps * numbers_); }

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
  std::size_t numbers_ = 0;                                      // for each VP, whole lines
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
  const std::size_t rank = me.rank() - seg.first, m = seg.size * mine.size();
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

/// The program of P VPs that carry out a batch. Each transform is one VP's, or all VPs carry out
/// one after the other: then the recursion ends at once in the passes of a matrix, on the user's
/// arrays, unless VPs hold fewer numbers than there are VPs.
template <class T> class fft_program {
 public:
  fft_program(const batch<T>& work, std::size_t vps) : work_(work), vps_(vps) {
    const std::size_t n = work.points();
    if (work.signal == signal::complex && std::has_single_bit(n) && std::has_single_bit(vps) &&
        vps > 1 && vps <= n && n / vps < vps && work.count < vps)
      recursion_.emplace(n, vps);
    else
      apart_ = work.count >= vps || vps == 1 || work.plan->method == method::direct;
  }

  /// Allocates the memory of the run.
  void lay_out(arena& in) {
    if (recursion_) {
      memory_ = in.array<T>(2 * work_.points());  // a block for each VP
      recursion_->lay_out(in, vps_);
    } else if (apart_) {
      shares_ = in.arrays<T>(sequence_numbers(work_), std::min(vps_, work_.count));
    } else {
      const tiling<T> tiles = cut().tiles;
      memory_ = in.array<T>(work_.spare_numbers());
      passes_ = in.array<T>(is_chirp() ? chirp_passes<T>::numbers(tiles)
                                       : matrix_passes<T>::numbers(tiles));
    }
  }

  /// The program of one VP.
  task<> operator()(vp& me) {
    if (apart_) {
      transform_share(me.rank());
      co_return;
    }
    for (std::size_t i = 0; i < work_.count; ++i) {
      if (!recursion_) {
        co_await transform_strips(me, i);
        continue;
      }
      if (i != 0) co_await me.sync(0);  // until then what I have lent is read
      co_await transform_blocks(me, work_.input(i), work_.output(i));
    }
  }

  /// The transforms of one VP.
  void transform_share(std::size_t rank) const noexcept {
    const std::size_t holders = std::min(vps_, work_.count);
    if (rank >= holders) return;
    const interval<> mine = interval<>{0, work_.count}.share(rank, holders);
    transform_sequences(work_, mine, shares_[rank]);
  }

 private:
  [[nodiscard]] bool is_chirp() const noexcept { return work_.plan->method == method::chirp; }
  [[nodiscard]] strips<T> cut() const noexcept { return {*work_.plan, vps_, false}; }

  /// Transforms number i by all VPs: up to three supersteps besides those of the complex transform.
  task<> transform_strips(vp& me, std::size_t i) {
    const std::size_t q = me.rank();
    const strips<T> all = cut();
    line_in_memory<T> line(work_, all, vps_, q, i, memory_);
    const std::size_t index = std::min(q, all.tiles.vps - 1);  // others do not touch it
    const pass_memory<T> memory =
        is_chirp() ? chirp_passes<T>::memory_of(*work_.plan, all.tiles, index, passes_)
                   : matrix_passes<T>::memory_of(all.tiles, index, passes_);
    co_await transform_line<T>(me, all, memory, line, work_.how);
  }

  /// The recursion, on blocks of memory of the program's own. The model's VPs have the points, and
  /// leave the results, in the order of its places: copies to and from the user's are not counted.
  task<> transform_blocks(vp& me, const T* from, T* to) {
    const std::size_t n = work_.points();
    const std::size_t b = n / vps_;
    const std::size_t first = me.rank() * b;
    const place_order& order = recursion_->order();
    const std::size_t re = work_.how.inverse ? 1 : 0;
    const std::span<std::complex<T>> mine(reinterpret_cast<std::complex<T>*>(memory_) + first, b);
    for (std::size_t i = 0; i < b; ++i) {
      const T* const point = from + 2 * order.point_at(n, first + i);
      mine[i] = {point[re], point[1 - re]};
    }
    co_await recursive_fft<T>(me, me.all(), mine, *recursion_);
    for (std::size_t i = 0; i < b; ++i) {
      T* const result = to + 2 * order.result_at(n, first + i);
      result[re] = mine[i].real() * work_.how.scale;
      result[1 - re] = mine[i].imag() * work_.how.scale;
    }
  }

  batch<T> work_;
  std::size_t vps_;
  bool apart_ = false;
  std::optional<recursion_space<T>> recursion_;
  T* memory_ = nullptr;
  T* passes_ = nullptr;
  vp_arrays<T> shares_;
};

/// Carries out a batch on a machine of one memory. Requires numbers in the batch.
template <class T> run_report run_batch(machine& on, const batch<T>& work, std::size_t vps) {
  const machine::turn mine(on, machine::use::scratch);
  fft_program<T> program(work, vps);
  arena::take(on, [&program](arena& in) { program.lay_out(in); });
  return run_program(
      on, vps, [&program] { program.transform_share(0); },
      [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::fourier
