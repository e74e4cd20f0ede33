// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <optional>
#include <span>

#include <pleat/oblivious/detail/fft/alone.hpp>
#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/chirp.hpp>
#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/line.hpp"
#include "fft/line_in_memory.hpp"
#include "fft/recursion.hpp"
#include "fft/strips.hpp"

namespace pleat::detail::fourier {

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

  /// Numbers of memory, aligned to a line, that the run needs.
  [[nodiscard]] std::size_t numbers() const noexcept {
    if (recursion_) return home_numbers() + vps_ * recursion_->numbers();
    if (apart_) return std::min(vps_, work_.count) * share_numbers();
    const tiling<T> tiles = cut().tiles;
    return work_.spare_numbers() +
           (is_chirp() ? chirp_passes<T>::numbers(tiles) : matrix_passes<T>::numbers(tiles));
  }
  void use(T* memory) noexcept {
    memory_ = memory;
    if (recursion_) recursion_->use(memory + home_numbers());
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
    transform_sequences(work_, mine, memory_ + rank * share_numbers());
  }

 private:
  [[nodiscard]] std::size_t share_numbers() const noexcept { return sequence_numbers(work_); }
  /// Numbers that the VPs hold in the recursion: a block for each VP.
  [[nodiscard]] std::size_t home_numbers() const noexcept {
    return whole_lines<T>(2 * work_.points());
  }
  [[nodiscard]] bool is_chirp() const noexcept { return work_.plan->method == method::chirp; }
  [[nodiscard]] strips<T> cut() const noexcept { return {*work_.plan, vps_, false}; }

  /// Transforms number i by all VPs: up to three supersteps besides those of the complex transform.
  task<> transform_strips(vp& me, std::size_t i) {
    const std::size_t q = me.rank();
    const strips<T> all = cut();
    line_in_memory<T> line(work_, all, vps_, q, i, memory_);
    T* const rest = memory_ + work_.spare_numbers();
    const std::size_t index = std::min(q, all.tiles.vps - 1);  // others do not touch it
    const pass_memory<T> memory =
        is_chirp() ? chirp_passes<T>::memory_of(*work_.plan, all.tiles, index, rest)
                   : matrix_passes<T>::memory_of(all.tiles, index, rest);
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
};

/// Carries out a batch on a machine of one memory. Requires numbers in the batch.
template <class T> run_report run_batch(machine& on, const batch<T>& work, std::size_t vps) {
  const machine::turn mine(on, machine::use::scratch);
  fft_program<T> program(work, vps);
  program.use(reinterpret_cast<T*>(on.scratch(program.numbers() * sizeof(T)).data()));
  return run_program(
      on, vps, [&program] { program.transform_share(0); },
      [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::fourier
