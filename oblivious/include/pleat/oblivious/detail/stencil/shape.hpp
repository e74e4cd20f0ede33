// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <vector>

#include <pleat/oblivious/detail/stencil/cells.hpp>
#include <pleat/oblivious/detail/stencil/zoid.hpp>
#include <pleat/oblivious/grid_view.hpp>

namespace pleat::detail::stencils {

/// The cells [first, last) of one dimension.
struct range {
  offset first = 0, last = 0;
  [[nodiscard]] constexpr offset size() const noexcept { return last - first; }
};

/// How the steps and the cells are divided among VPs, and in what order a VP goes through its
/// tiles. Pure functions of the grid, the boundaries and P.
///
/// One dimension is shared. It is cut at as many places as there are VPs, and the steps into bands
/// of equal height. In the first half of a band a VP computes the upright tiles between its cuts,
/// which shrink from step to step; in the second the inverted tiles that grow out of them, between
/// two of its own and between the last of the VP before and its first. Each VP has one inverted
/// tile; its cells are so many that the upright ones make all VPs' work equal.
///
///     steps  ▲   ╲  1   ╱ ╲   1   ╱   ╲    2   │
///            │ 1  ╲    ╱ 1 ╲     ╱  2  ╲       │      inverted: 1 between its own, 2 at the border
///            └──────┴────────────┴──────────────► cells
template <std::size_t D> class shape {
 public:
  /// Requires steps ≥ 1, vps ≥ 1, every size ≥ 1. `bytes` of a cell: one level of all fields.
  shape(const std::array<offset, D>& size, const std::array<boundary, D>& edges, std::size_t bytes,
        offset steps, std::size_t vps)
      : size_(size), edges_(edges), bytes_(bytes) {
    choose_shared(vps);
    const offset n = updated(shared_).size();
    const bool ring = edges[shared_] == boundary::periodic;
    holders_ =
        static_cast<std::size_t>(std::clamp<offset>(n / least_share, 1, static_cast<offset>(vps)));
    const auto w = static_cast<offset>(holders_);
    most_steps_ = std::max<offset>(steps, 1);
    if (holders_ > 1) most_steps_ = std::min(most_steps_, n / (4 * w));
    for (std::size_t i = 0; i < D; ++i) {
      rings_[i] = edges[i] == boundary::periodic && worth_cutting(i) &&
                  (i != shared_ || (holders_ == 1 && n >= least_share));
      if (rings_[i]) most_steps_ = std::min(most_steps_, size[i] / 4);
    }
    rings_[shared_] = rings_[shared_] || (ring && holders_ > 1);
    cut_borders();
  }

  [[nodiscard]] std::size_t shared() const noexcept { return shared_; }
  /// Only so many VPs have cells.
  [[nodiscard]] std::size_t holders() const noexcept { return holders_; }
  /// The cells of a dimension that change.
  [[nodiscard]] range updated(std::size_t i) const noexcept {
    if (edges_[i] == boundary::fixed) return {1, std::max<offset>(size_[i] - 1, 1)};
    return {0, size_[i]};
  }
  [[nodiscard]] bool nothing_changes() const noexcept {
    for (std::size_t i = 0; i < D; ++i)
      if (updated(i).size() <= 0) return true;
    return false;
  }
  /// The cells VP p holds in the shared dimension: all of the grid is somebody's.
  [[nodiscard]] range held(std::size_t p) const noexcept {
    return {p == 0 ? 0 : borders_[p], p + 1 == holders_ ? size_[shared_] : borders_[p + 1]};
  }
  /// Whether there is a VP before p, which then has the cells beside p's first; and who it is.
  [[nodiscard]] bool has_left(std::size_t p) const noexcept {
    return holders_ > 1 && (p > 0 || rings_[shared_]);
  }
  [[nodiscard]] bool has_right(std::size_t p) const noexcept {
    return holders_ > 1 && (p + 1 < holders_ || rings_[shared_]);
  }
  [[nodiscard]] std::size_t left(std::size_t p) const noexcept {
    return (p + holders_ - 1) % holders_;
  }
  [[nodiscard]] std::size_t right(std::size_t p) const noexcept { return (p + 1) % holders_; }
  /// Whether a band has a second half.
  [[nodiscard]] bool halves() const noexcept { return holders_ > 1; }

  /// `steps` steps are so many bands, and band b has so many of them.
  [[nodiscard]] offset bands(offset steps) const noexcept {
    return (steps + most_steps_ - 1) / most_steps_;
  }
  [[nodiscard]] offset steps_of(offset steps, offset band) const noexcept {
    const offset all = bands(steps);
    return steps / all + (band < steps % all ? 1 : 0);
  }

  /// visit(tile) for the tiles of VP p in a half of a band, in an order they can be computed in.
  template <class Visit>
  void tiles(std::size_t p, bool second, offset height, const Visit& visit) const {
    zoid<D> tile;
    tile.height = height;
    const offset first = borders_[p], last = borders_[p + 1];
    const auto shared = [&](offset low, offset high, int left, int right) {
      tile.in[shared_] = {low, high, left, right, true};
      others<0>(tile, visit);
    };
    if (second) {
      if (has_left(p)) shared(first, first, -1, 1);
      if (p == 0 && !rings_[shared_]) shared(inner_, inner_, -1, 1);
    } else if (holders_ == 1) {
      if (rings_[shared_]) {
        shared(0, last, 1, -1);
        shared(last, last, -1, 1);
      } else {
        tile.in[shared_] = {first, last, 0, 0, edges_[shared_] != boundary::periodic};
        others<0>(tile, visit);
      }
    } else {
      const int l = has_left(p) ? 1 : 0, r = has_right(p) ? -1 : 0;
      if (p == 0 && !rings_[shared_]) {
        shared(first, inner_, l, -1);
        shared(inner_, last, 1, r);
      } else {
        shared(first, last, l, r);
      }
    }
  }

  /// Into which parts a VP refines a tile.
  [[nodiscard]] grain<D> fineness() const noexcept {
    grain<D> fine{};
    const auto row = static_cast<std::size_t>(size_[D - 1]) * bytes_ * 2;
    fine.bytes = D == 1 || row <= short_row ? near_bytes : far_bytes;
    for (std::size_t i = 0; i < D; ++i) {
      const bool rows = i + 1 < D;
      fine.least[i] = rows ? 2 : 512;
      fine.to_steps[i] = rows ? 1 : D == 1 ? 8 : 64;
    }
    return fine;
  }

 private:
  static constexpr offset least_share = 4;  ///< cells of a VP in the shared dimension
  // Parts of tiles: rows in the caches nearest to a core, whatever these are.
  static constexpr std::size_t near_bytes = std::size_t{24} << 10;
  static constexpr std::size_t far_bytes = std::size_t{384} << 10;
  static constexpr std::size_t short_row = std::size_t{2} << 10;
  static constexpr std::size_t long_row = std::size_t{96} << 10;

  /// The first dimension, unless it is too short for so many VPs.
  void choose_shared(std::size_t vps) {
    if (size_[0] >= static_cast<offset>(16 * vps)) return;
    for (std::size_t i = 1; i < D; ++i)
      if (size_[i] > size_[shared_]) shared_ = i;
  }

  /// Whether a dimension that is not shared is worth cutting: what lies behind one index is large.
  [[nodiscard]] bool worth_cutting(std::size_t i) const noexcept {
    if (size_[i] < 4 * least_share) return false;
    std::size_t behind = bytes_ * 2;
    for (std::size_t j = i; j < D; ++j) behind *= static_cast<std::size_t>(size_[j]);
    return i + 1 < D || D == 1 ? behind > near_bytes : behind > long_row;
  }

  void cut_borders() {
    const range all = updated(shared_);
    const auto w = static_cast<offset>(holders_);
    borders_.assign(holders_ + 1, all.first);
    borders_[holders_] = all.last;
    if (holders_ == 1) return;
    const offset n = all.size(), h = most_steps_;
    if (rings_[shared_]) {
      for (offset p = 1; p < w; ++p) borders_[static_cast<std::size_t>(p)] = p * n / w;
      return;
    }
    // The first VP's upright tiles have three slants, the last one's has one, the others' two; a
    // slant saves h²/2.
    const auto border = [&](offset p) {
      return all.first + p * (n - w * h) / w + (2 * p + 1) * h / 2;
    };
    for (offset p = 1; p < w; ++p) borders_[static_cast<std::size_t>(p)] = border(p);
    inner_ = borders_[0] + (borders_[1] - borders_[0] - h) / 2;
    inner_ = std::max(inner_, borders_[0] + h);
  }

  /// The other dimensions: all of it, or where it is a ring worth cutting, first upright, then
  /// inverted.
  template <std::size_t I, class Visit> void others(zoid<D>& tile, const Visit& visit) const {
    if constexpr (I == D) {
      visit(static_cast<const zoid<D>&>(tile));
    } else if (I == shared_) {
      others<I + 1>(tile, visit);
    } else if (rings_[I]) {
      tile.in[I] = {0, size_[I], 1, -1, true};
      others<I + 1>(tile, visit);
      tile.in[I] = {size_[I], size_[I], -1, 1, true};
      others<I + 1>(tile, visit);
    } else {
      const range all = updated(I);
      tile.in[I] = {all.first, all.last, 0, 0, edges_[I] != boundary::periodic && worth_cutting(I)};
      others<I + 1>(tile, visit);
    }
  }

  std::array<offset, D> size_;
  std::array<boundary, D> edges_;
  std::size_t bytes_;
  std::size_t shared_ = 0;
  std::size_t holders_ = 1;
  offset most_steps_ = 1;
  offset inner_ = 0;  ///< the first VP's own cut
  std::array<bool, D> rings_{};
  std::vector<offset> borders_;  ///< of what changes
};

}  // namespace pleat::detail::stencils
