// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <span>

#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/chirp.hpp>
#include <pleat/oblivious/detail/fft/literal.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/oblivious/detail/fft/transform.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::fourier {

/// How the VPs of a run share the transforms.
enum class sharing {
  apart,     ///< each transform is one VP's
  together,  ///< each is everybody's: a matrix
  literal,   ///< each is everybody's, a VP holds few numbers: the recursion of the model
};

/// The program of P VPs that carry out a batch.
template <class T> class fft_program {
 public:
  fft_program(const batch<T>& work, std::size_t vps) : work_(work), vps_(vps) {
    const transform_plan<T>& plan = *work.plan;
    const std::size_t n = plan.size;
    if (work.count >= vps || vps == 1 || plan.method == method::direct)
      sharing_ = sharing::apart;
    else
      sharing_ = sharing::together;
    if (work.signal == signal::complex && std::has_single_bit(n) && std::has_single_bit(vps) &&
        vps > 1 && vps <= n && n / vps < vps && work.count < vps) {
      sharing_ = sharing::literal;
      roots_ = root_table(n);
    }
  }

  /// Numbers of memory, aligned to a line, that the run needs.
  [[nodiscard]] std::size_t numbers() const noexcept {
    const transform_plan<T>& plan = *work_.plan;
    switch (sharing_) {
      case sharing::apart:
        return std::min(vps_, work_.count) * share_numbers();
      case sharing::literal:
        return 2 * plan.size;
      case sharing::together:
        break;
    }
    return work_.spare_numbers() + tiling<T>{matrix(), 1}.numbers() +
           holders() * beside_slabs(*work_.plan, holders());
  }
  void use(T* memory) noexcept { memory_ = memory; }

  /// The program of one VP. Its last superstep, if there are any, is before results are written.
  task<> operator()(vp& me) {
    if (sharing_ == sharing::apart) {
      transform_share(me.rank());
      co_return;
    }
    for (std::size_t i = 0; i < work_.count; ++i) {
      if (i != 0) co_await me.sync(0);  // until then what I have lent is read
      if (sharing_ == sharing::literal)
        co_await transform_literally(me, work_.input(i), work_.output(i));
      else
        co_await transform_together(me, i);
    }
  }

  /// The transforms of one VP.
  void transform_share(std::size_t rank) const noexcept {
    const std::size_t holders = std::min(vps_, work_.count);
    if (rank >= holders) return;
    const group_range mine = share_of(work_.count, rank, holders);
    T* const spare = memory_ + rank * share_numbers();
    T* const memory = spare + work_.spare_numbers();
    const group_range all = work_.folded(0, 1);
    ends<T> how = work_.how;
    how.stream = !work_.leaves() && is_streamed<T>(work_.count * work_.points());
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      if (work_.enters()) work_.enter(i, spare, all);
      transform_alone<T>(*work_.plan, work_.source(i, spare), how, memory, work_.target(i, spare));
      if (work_.leaves()) work_.leave(i, spare, all);
    }
  }

 private:
  [[nodiscard]] std::size_t share_numbers() const noexcept {
    return work_.spare_numbers() + alone_numbers(*work_.plan);
  }
  [[nodiscard]] const transform_plan<T>& matrix() const noexcept { return matrix_of(*work_.plan); }
  /// Only so many VPs have columns or rows.
  [[nodiscard]] std::size_t holders() const noexcept {
    const tiling<T> tiles{matrix(), 1};
    return std::min(vps_, std::max(tiles.column_groups(), tiles.row_groups()));
  }

  /// What VP q has besides the slabs; of the last one if it has no share and writes none.
  [[nodiscard]] T* beside(const tiling<T>& tiles, T* memory, std::size_t q) const noexcept {
    return memory + tiles.numbers() +
           std::min(q, tiles.vps - 1) * beside_slabs(*work_.plan, tiles.vps);
  }

  /// A part of an array that is a matrix of rows of `columns` numbers: columns [first, last).
  struct strip {
    std::size_t columns, first, last;
  };
  /// What VP q takes of the numbers that are transformed, and what it leaves.
  [[nodiscard]] strip taken_by(std::size_t q) const noexcept { return strip_of(q, false); }
  [[nodiscard]] strip left_by(std::size_t q) const noexcept { return strip_of(q, true); }
  [[nodiscard]] strip strip_of(std::size_t q, bool results) const noexcept {
    const transform_plan<T>& plan = matrix();
    const bool columns_again = work_.plan->method == method::chirp;
    const std::size_t columns = results && !columns_again ? plan.rows : plan.width();
    const std::size_t w = holders();
    if (q >= w) return {columns, 0, 0};
    const tiling<T> tiles{plan, w};
    const group_range groups = results && !columns_again ? tiles.rows_of(q) : tiles.columns_of(q);
    return {columns, std::min(groups.first * plan.lanes, columns),
            std::min(groups.last * plan.lanes, columns)};
  }
  /// Lends VP r numbers [first, last) of a strip, whole rows of it. The last row of the matrix of a
  /// chirp that holds numbers may not be whole.
  void lend_part(vp& me, std::size_t r, T* numbers, strip of, std::size_t first,
                 std::size_t last) const {
    const std::size_t whole = work_.points() / of.columns * of.columns;
    if (first < whole && whole < last) {
      lend_part(me, r, numbers, of, first, whole);
      first = whole;
    }
    const std::size_t top = first / of.columns;
    const std::size_t rows = (last + of.columns - 1) / of.columns - top;
    if (rows == 1) {
      of.first = std::max(of.first, first - top * of.columns);
      of.last = std::min(of.last, last - top * of.columns);
    }
    if (first >= last || of.first >= of.last) return;
    auto* const pairs = reinterpret_cast<std::complex<T>*>(numbers);
    me.lend(r, strided_view<std::complex<T>>(pairs + top * of.columns + of.first, rows,
                                             of.last - of.first, of.columns));
  }
  /// Lends r what it folds, or what was folded, of a strip of the n numbers that are transformed.
  void lend_folded(vp& me, std::size_t r, T* numbers, strip of, group_range folded) const {
    const std::size_t n = work_.points();
    lend_part(me, r, numbers, of, folded.first, folded.last);
    if (work_.signal == signal::real_pairs)
      lend_part(me, r, numbers, of, n + 1 - std::max(folded.last, std::size_t{1}),
                std::min(n, n + 1 - folded.first));
  }
  static void read_all(vp& me) {
    while (me.receive()) {
    }
  }

  /// All VPs transform number i: up to two supersteps besides those of the complex transform.
  task<> transform_together(vp& me, std::size_t i) {
    const std::size_t q = me.rank();
    const group_range mine = work_.folded(q, vps_);
    T* const spare = memory_;
    T* const rest = memory_ + work_.spare_numbers();
    const T* const from = work_.source(i, spare);
    T* const to = work_.target(i, spare);
    if (work_.enters()) {
      work_.enter(i, spare, mine);
      for (std::size_t r = 0; r < vps_; ++r) lend_folded(me, r, to, taken_by(r), mine);
      co_await me.sync(0);
      read_all(me);
    }
    if (work_.plan->method == method::chirp)
      co_await transform_chirp(me, from, rest, to);
    else
      co_await transform_matrix(me, from, rest, to);
    if (work_.leaves()) {
      for (std::size_t r = 0; r < vps_; ++r)
        lend_folded(me, r, to, left_by(q), work_.folded(r, vps_));
      co_await me.sync(0);
      read_all(me);
      work_.leave(i, spare, mine);
    }
  }

  /// Two passes and a superstep, h = n/P numbers.
  task<> transform_matrix(vp& me, const T* from, T* memory, T* to) {
    const transform_plan<T>& plan = *work_.plan;
    const std::size_t w = holders();
    const std::size_t q = me.rank();
    const tiling<T> tiles{plan, w};
    ends<T> how = work_.how;
    how.stream = is_streamed<T>(plan.size);
    matrix_passes<T> passes(tiles, q, memory, beside(tiles, memory, q));
    if (q < w) {
      passes.first(from, {how.inverse, 1, how.stream});
      for (std::size_t r = 0; r < w; ++r) {
        const std::span<const T> chunk = passes.chunk_for(r);
        const auto* const pairs = reinterpret_cast<const std::complex<T>*>(chunk.data());
        me.lend(r, std::span<const std::complex<T>>(pairs, chunk.size() / 2));
      }
    }
    co_await me.sync(0);
    while (auto m = me.receive()) {
      const auto pairs = m->template view<const std::complex<T>>();
      passes.take_chunk(m->source(), reinterpret_cast<const T*>(pairs.data));
    }
    if (q < w) passes.second(to, how);
  }

  /// Bluestein's: a convolution in three passes and two supersteps, h = m/P for its m numbers.
  task<> transform_chirp(vp& me, const T* from, T* memory, T* to) {
    const std::size_t w = holders();
    const std::size_t q = me.rank();
    const tiling<T> tiles{matrix(), w};
    chirp_passes<T> passes(*work_.plan, w, q, memory, beside(tiles, memory, q));
    using complex = std::complex<T>;
    if (q < w) {
      passes.first(from, work_.how.inverse);
      for (std::size_t r = 0; r < w; ++r) {
        const std::span<T> chunk = passes.chunk_for(r);
        me.lend(r, std::span<complex>(reinterpret_cast<complex*>(chunk.data()), chunk.size() / 2));
      }
    }
    co_await me.sync(0);
    while (auto m = me.receive()) {
      const auto chunk = m->template view<complex>();
      passes.take_chunk(m->source(), reinterpret_cast<T*>(chunk.data));
      me.lend(m->source(), strided_view<const complex>(chunk));
    }
    if (q < w) passes.middle();
    co_await me.sync(0);
    read_all(me);  // it stands where it was taken from
    if (q < w) passes.last(work_.how, to);
  }

  task<> transform_literally(vp& me, const T* from, T* to) {
    const std::size_t n = work_.plan->size;
    const std::size_t b = n / vps_;
    const bool inverse = work_.how.inverse;
    auto* const home = reinterpret_cast<std::complex<T>*>(memory_);
    const std::span<std::complex<T>> mine(home + me.rank() * b, b);
    for (std::size_t i = 0; i < b; ++i) {
      const T* const pair = from + 2 * point_at(n, vps_, me.rank() * b + i);
      mine[i] = {pair[inverse ? 1 : 0], pair[inverse ? 0 : 1]};
    }
    co_await recursive_fft<T>(me, me.all(), mine, roots_);
    for (std::size_t i = 0; i < b; ++i) {
      T* const pair = to + 2 * result_at(n, vps_, me.rank() * b + i);
      pair[inverse ? 1 : 0] = mine[i].real() * work_.how.scale;
      pair[inverse ? 0 : 1] = mine[i].imag() * work_.how.scale;
    }
  }

  batch<T> work_;
  std::size_t vps_;
  fourier::sharing sharing_;
  root_table roots_;
  T* memory_ = nullptr;
};

}  // namespace pleat::detail::fourier
