// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/panel.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail::distribution {

/// Lanes of the longest vectors that there are: which transforms are divided into strips may not
/// depend on the vectors of a rank.
inline constexpr std::size_t most_lanes = 16;

/// A transform by the VPs of all ranks as that of a matrix in strips (fourier::tiling), and where
/// its memory on this rank is: a slab of tiles and a strip of results for each VP, and what a VP
/// works in.
template <class T> class strip_layout {
 public:
  /// Is a transform of n numbers divided so? Where every rank has a group of rows, and primes are
  /// small.
  [[nodiscard]] static bool divides(std::size_t n, std::size_t ranks) {
    return fourier::middle_divisor(n) >= most_lanes * ranks && fourier::is_smooth(n);
  }

  /// For `vps` VPs of all ranks, `here` on this one. Requires: divides(n, ranks). Throws:
  /// std::bad_alloc.
  strip_layout(std::size_t n, std::size_t vps, const rank_range& here) : here_(here) {
    constexpr std::size_t always_a_matrix = std::size_t{1} << 14;  // in the plans that are kept
    plan_ = n < always_a_matrix ? fourier::make_matrix_plan<T>(n, fourier::lanes<T>())
                                : fourier::plan_for<T>(n);
    const fourier::tiling<T> one{*plan_, 1};
    vps_ = std::min(vps, std::max(one.column_groups(), one.row_groups()));
  }

  [[nodiscard]] fourier::tiling<T> tiles() const noexcept { return {*plan_, vps_}; }

  void lay_out(arena& in) {
    const fourier::tiling<T> t = tiles();
    std::size_t slab = 0, strip = 0;
    for (std::size_t q = here_.first; q < std::min(here_.last, vps_); ++q) {
      slab = std::max(slab, t.slab_numbers(q));
      strip = std::max(strip, 2 * plan_->width() * t.left_by(q).size());
    }
    slabs_ = in.arrays<T>(slab, here_.size());
    strips_ = in.arrays<T>(strip, here_.size());
    own_ = in.arrays<T>(own_numbers(t), here_.size());
    panels_ = in.arrays<T>(2 * plan_->rows * panel_columns(), here_.size());
  }

  /// Of VP q, one of this rank's.
  [[nodiscard]] T* slab(std::size_t q) const noexcept { return in(slabs_, q); }
  [[nodiscard]] T* strip(std::size_t q) const noexcept { return in(strips_, q); }
  [[nodiscard]] T* own(std::size_t q) const noexcept { return in(own_, q); }
  /// Of rows × panel_columns complex numbers, for points on their way to the first pass.
  [[nodiscard]] T* panel(std::size_t q) const noexcept { return in(panels_, q); }
  [[nodiscard]] std::size_t panel_columns() const noexcept {
    return std::max<std::size_t>(1, fourier::panel<T>::groups_of(tiles())) * plan_->lanes;
  }

 private:
  static std::size_t own_numbers(const fourier::tiling<T>& tiles) noexcept {
    return fourier::matrix_passes<T>::own_numbers(tiles);
  }
  [[nodiscard]] T* in(const vp_arrays<T>& arrays, std::size_t q) const noexcept {
    return arrays[q - here_.first];
  }

  rank_range here_;
  std::shared_ptr<const fourier::transform_plan<T>> plan_;
  std::size_t vps_ = 1;
  vp_arrays<T> slabs_, strips_, own_, panels_;
};

}  // namespace pleat::detail::distribution
