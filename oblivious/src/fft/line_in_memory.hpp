// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>

#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/strips.hpp"

namespace pleat::detail::fourier {

/// Part of a VP in both ends of a transform where all VPs read one memory: points are taken where
/// they stand, and results left where they are wanted. Only numbers that a fold changes before the
/// transform, or behind it, are lent. line_over_ranks is the other kind.
template <class T> class line_in_memory {
 public:
  static constexpr bool over_ranks = false;

  /// Transform i of a batch by `vps` VPs, of which this is number q. `spare`: as batch.
  line_in_memory(const batch<T>& work, const strips<T>& cut, std::size_t vps, std::size_t q,
                 std::size_t i, T* spare) noexcept
      : work_(work), cut_(cut), vps_(vps), q_(q), i_(i), spare_(spare) {}

  [[nodiscard]] bool gathers() const noexcept { return work_.enters(); }
  [[nodiscard]] bool scatters() const noexcept { return work_.leaves(); }
  void enter() const noexcept {
    if (work_.enters()) work_.enter(i_, spare_, mine());
  }
  void leave() const noexcept {
    if (work_.leaves()) work_.leave(i_, spare_, mine());
  }

  /// Lends every VP what it takes of the numbers that I have folded.
  void lend_points(vp& me) const {
    for (std::size_t r = 0; r < cut_.tiles.vps; ++r) folded_by(q_).lend(me, r, cut_.taken_by(r));
  }
  void take_points(vp& me) const {
    for (std::size_t r = 0; r < vps_; ++r) take(me, r, cut_.taken_by(q_));
  }
  /// Lends every VP what it folds of the numbers that I have left.
  void lend_results(vp& me) const {
    for (std::size_t r = 0; r < vps_; ++r) folded_by(r).lend(me, r, cut_.left_by(q_));
  }
  void take_results(vp& me) const {
    for (std::size_t r = 0; r < cut_.tiles.vps; ++r) take(me, q_, cut_.left_by(r));
  }

  [[nodiscard]] column_block<const T> points() const noexcept {
    return strip_of_matrix<const T>(work_.source(i_, spare_), cut_.taken_by(q_));
  }
  [[nodiscard]] column_block<T> results() const noexcept {
    return strip_of_matrix<T>(work_.target(i_, spare_), cut_.left_by(q_));
  }
  [[nodiscard]] bool streams() const noexcept { return is_streamed<T>(work_.points()); }

 private:
  [[nodiscard]] interval<> mine() const noexcept { return work_.folded(q_, vps_); }
  /// The numbers that VP q works on before or after the transform.
  [[nodiscard]] held_ranges<T> folded_by(std::size_t q) const noexcept {
    line_ranges all{work_.folded(q, vps_), {}};
    if (work_.signal == signal::real_pairs)
      all = below(with_mirrored(all[0], work_.points()), work_.points());
    const line_elements<T> numbers{work_.target(i_, spare_), 2};
    return {all, {numbers.at(all[0].first), numbers.at(all[1].first)}};
  }
  /// Takes what VP q and a strip have in common, which is where it is wanted.
  void take(vp& me, std::size_t q, const strip& of) const {
    folded_by(q).take(me, 2, of,
                      []([[maybe_unused]] const auto& come, [[maybe_unused]] const auto& here,
                         std::size_t) { assert(come.elements.data == here.data); });
  }

  const batch<T>& work_;
  const strips<T>& cut_;
  std::size_t vps_, q_, i_;
  T* spare_;
};

}  // namespace pleat::detail::fourier
