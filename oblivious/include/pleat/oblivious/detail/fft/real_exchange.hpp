// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>

#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::fourier {

/// What VPs lend each other where real numbers enter a transform by all of them, or leave it: what
/// a VP works on then (batch::folded) is not what it takes, or leaves, as a strip of a matrix.
template <class T> class real_exchange {
 public:
  /// `tiles`: of the VPs that have a strip of the matrix, the first of `vps`.
  real_exchange(const batch<T>& work, const tiling<T>& tiles, std::size_t vps) noexcept
      : work_(work), tiles_(tiles), vps_(vps) {}

  /// Lends everybody what it takes of my share of `numbers`, which have entered.
  void lend_entered(vp& me, T* numbers) const {
    const interval<> mine = work_.folded(me.rank(), vps_);
    for (std::size_t r = 0; r < tiles_.vps; ++r)
      lend_folded(me, r, numbers, tiles_.taken_by(r), mine);
  }
  /// Lends everybody its share of what I have left of `numbers`, which are to leave.
  void lend_leaving(vp& me, T* numbers) const {
    if (me.rank() >= tiles_.vps) return;
    const bool columns_again = work_.plan->method == method::chirp;
    const strip mine = columns_again ? tiles_.taken_by(me.rank()) : tiles_.left_by(me.rank());
    for (std::size_t r = 0; r < vps_; ++r) lend_folded(me, r, numbers, mine, work_.folded(r, vps_));
  }

 private:
  /// Lends VP r what a share holds of a strip of the numbers that are transformed.
  void lend_folded(vp& me, std::size_t r, T* numbers, const strip& of, interval<> share) const {
    const std::size_t n = work_.points();
    lend_part(me, r, numbers, of, share.first, share.last);
    if (work_.signal == signal::real_pairs)
      lend_part(me, r, numbers, of, n + 1 - std::max(share.last, std::size_t{1}),
                std::min(n, n + 1 - share.first));
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

  const batch<T>& work_;
  tiling<T> tiles_;
  std::size_t vps_;
};

}  // namespace pleat::detail::fourier
