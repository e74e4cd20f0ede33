// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <pleat/oblivious/detail/stencil/zoid.hpp>

namespace pleat::detail::stencils {

/// Limits to which a tile is refined, and the shape of its parts: constants of the program, not of
/// the machine it runs on.
template <std::size_t D> struct grain {
  std::size_t bytes;               ///< a part of at most that many bytes is swept as a whole
  std::array<offset, D> least;     ///< least width of a part
  std::array<double, D> to_steps;  ///< desired width, as a multiple of the steps
  offset chunk;                    ///< see any_sweeper

  // Sizes that fit in the caches near a core, on any processor; fewer bytes if a row has few
  // neighbours.
  static constexpr std::size_t near_bytes = std::size_t{24} << 10;
  static constexpr std::size_t far_bytes = std::size_t{384} << 10;

  /// Makes the limits for a sweeper with this chunk.
  [[nodiscard]] static grain with_chunk(offset chunk) noexcept {
    grain fine{};
    fine.chunk = chunk;
    fine.bytes = D == 1 ? near_bytes : far_bytes;
    for (std::size_t i = 0; i < D; ++i) {
      const bool rows = i + 1 < D;
      fine.least[i] = rows ? 2 : 512;
      fine.to_steps[i] = rows ? 1 : D == 1 ? 8 : 64;
    }
    return fine;
  }
};

/// Calls `sweep(part)` for every part of a tile, in an order with good locality.
///
/// Cost: Q = O(V/(B·M^(1/d))) transfers for V cells, d cut dimensions and a cache of size M with
/// lines of B, as long as a part fits in M; O(1) for each part.
/// Source: Frigo, Strumpen, Cache Oblivious Stencil Computations, 2005; the coordinates are those
/// of Bilardi et al., Network-Oblivious Algorithms, section 4.
template <std::size_t D, class Sweep> class refinement {
 public:
  /// `cell_bytes`: size of both time levels of all fields.
  refinement(const zoid<D>& tile, std::size_t cell_bytes, const grain<D>& fine, const Sweep& sweep)
      : tile_(tile), cell_bytes_(cell_bytes), grain_(fine), sweep_(sweep) {
    for (std::size_t i = 0; i < D; ++i)
      if (!tile.in[i].cut)
        cell_bytes_ *=
            static_cast<std::size_t>(std::max<offset>(tile.in[i].high(0) - tile.in[i].low(0), 1));
  }

  void run() const {
    if constexpr (D == 1) {
      if (grain_.chunk > 0) return run_in_chunks();
    }
    refine(whole(0, tile_.height));
  }

 private:
  [[nodiscard]] part_of_zoid<D> whole(offset first, offset last) const noexcept {
    part_of_zoid<D> all{first, last, {}, {}};
    for (std::size_t i = 0; i < D; ++i) {
      all.low[i] = lowest(i, first, last);
      all.high[i] = highest(i, first, last);
    }
    return all;
  }

  /// Runs bands of steps one after the other; in each, the leaning part of the tile, chunk by
  /// chunk, and the parts left and right of it. In h steps that takes h² updates for each edge that
  /// leans the other way, and the load and store of w cells cost as much as w/h updates.
  void run_in_chunks() const requires(D == 1) {
    const part_of_zoid<D> all = whole(0, tile_.height);
    const auto width = static_cast<double>(std::max<offset>(all.high[0] - all.low[0], 1));
    const offset most = std::clamp<offset>(static_cast<offset>(std::sqrt(width)) / 2 * 2, 16, 512);
    const offset bands = (tile_.height + most - 1) / most;
    for (offset band = 0, first = 0; band < bands; ++band) {
      const offset last = (band + 1) * tile_.height / bands;
      part_of_zoid<D> left = whole(first, last), right = left;
      const extent& e = tile_.in[0];
      const offset low = std::max(e.low(first) + first, e.low(last - 1) + last - 1);
      const offset high = std::min(e.high(first) + first, e.high(last - 1) + last - 1);
      if (!e.cut || high - low < grain_.chunk / 8) {
        refine(left);
      } else {
        left.high[0] = low;
        right.low[0] = high;
        refine(left);
        for (offset x = low; x < high; x += grain_.chunk)
          sweep_(part_of_zoid<D>{first, last, {x}, {std::min(x + grain_.chunk, high)}});
        refine(right);
      }
      first = last;
    }
  }

  // Both edges are linear in the step, so the extreme is at the first or the last step.
  [[nodiscard]] offset lowest(std::size_t i, offset first, offset last) const noexcept {
    return std::min(tile_.in[i].low(first) + first, tile_.in[i].low(last - 1) + last - 1);
  }
  [[nodiscard]] offset highest(std::size_t i, offset first, offset last) const noexcept {
    return std::max(tile_.in[i].high(first) + first, tile_.in[i].high(last - 1) + last - 1);
  }

  void refine(part_of_zoid<D> part) const {
    const offset steps = part.last - part.first;
    if (steps <= 0) return;
    double bytes = static_cast<double>(cell_bytes_);
    std::size_t widest = D;
    double most = 0;
    for (std::size_t i = 0; i < D; ++i) {
      if (!tile_.in[i].cut) continue;
      part.low[i] = std::max(part.low[i], lowest(i, part.first, part.last));
      part.high[i] = std::min(part.high[i], highest(i, part.first, part.last));
      const offset width = part.high[i] - part.low[i];
      if (width <= 0) return;
      // Number of cells of the part: at most the width plus the steps, or the tile's own.
      bytes *= static_cast<double>(std::min(width + steps, reach(i, part.first, part.last)));
      if (width < 2 * grain_.least[i]) continue;
      const double by_steps = static_cast<double>(width) / grain_.to_steps[i];
      if (by_steps > most) {
        most = by_steps;
        widest = i;
      }
    }
    const bool fits = bytes <= static_cast<double>(grain_.bytes);
    if (fits || (widest == D && steps == 1)) {
      sweep_(part);
      return;
    }
    part_of_zoid<D> lower = part;
    if (steps > 1 && (widest == D || most <= static_cast<double>(steps))) {
      lower.last = part.first = part.first + steps / 2;
    } else {
      lower.high[widest] = part.low[widest] =
          part.low[widest] + (part.high[widest] - part.low[widest]) / 2;
    }
    refine(lower);
    refine(part);
  }

  /// Number of different cells of the tile itself between two steps.
  [[nodiscard]] offset reach(std::size_t i, offset first, offset last) const noexcept {
    const extent& e = tile_.in[i];
    return std::max(e.high(first), e.high(last - 1)) - std::min(e.low(first), e.low(last - 1));
  }

  zoid<D> tile_;
  std::size_t cell_bytes_;
  grain<D> grain_;
  const Sweep& sweep_;
};

}  // namespace pleat::detail::stencils
