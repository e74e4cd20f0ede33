// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/oblivious/detail/stencil/bands.hpp>
#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/transfer.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {

/// Owners of the cells of a run over ranks, and the steps that bring them from the caller's grid
/// and back. The caller's cells lie in slabs; each VP has a share of its rank's. The VPs of a rank
/// work in a window of the grid, which has room for what they are given. Pure functions, and two
/// supersteps.
template <std::size_t D> class PLEAT_API rank_cells {
 public:
  using phase = typename bands<D>::phase;

  /// Requires: the places outlive it.
  rank_cells(const std::array<offset, D>& size, const bands<D>& partition,
             const distribution::rank_places& places, std::size_t rank);

  /// Size of the whole grid.
  [[nodiscard]] const std::array<offset, D>& size() const noexcept { return size_; }
  [[nodiscard]] const bands<D>& partition() const noexcept { return partition_; }
  /// The VPs that work in this rank's window.
  [[nodiscard]] const rank_range& here() const noexcept { return here_; }
  /// The cells this rank has memory for; its first cell is that of the fields the VPs work on.
  [[nodiscard]] const box<D>& window() const noexcept { return window_; }
  [[nodiscard]] point<D> first() const noexcept {
    point<D> x;
    for (std::size_t i = 0; i < D; ++i) x[i] = window_.sides[i].first;
    return x;
  }
  /// VP q's share of the caller's cells.
  [[nodiscard]] box<D> share(std::size_t q) const noexcept;
  /// The caller's cells on this rank that other VPs than those they belong to bring up to date.
  [[nodiscard]] std::size_t landing_cells() const noexcept { return landing_.back(); }

  /// One superstep: the cells that VP `me` has at home come from the caller's slabs. `fields` and
  /// `slabs` have one field each for those of the run; level 0 of the slabs goes to level `start`,
  /// and with `two` level 1 to the other.
  task<> load(vp& me, const std::vector<untyped_field<D>>& slabs,
              const std::vector<untyped_field<D>>& fields, bool two, unsigned start) const;
  /// Two supersteps: level 0, and with `two` level 1, of the cells that VPs hold after their last
  /// phase go to the slabs, when no VP can fail any more. `landing` is memory for landing_cells()
  /// of all these levels.
  task<> store(vp& me, const std::vector<untyped_field<D>>& slabs,
               const std::vector<untyped_field<D>>& fields, bool two, const phase& last,
               std::byte* landing) const;

 private:
  /// visit(cells, off) for those that VP q holds after a phase; it counts them `off` further.
  template <class Visit>
  void for_each_held(std::size_t q, const std::optional<phase>& last, const Visit& visit) const {
    if (q >= partition_.holders()) return;
    partition_.for_each_held(q, {}, last, [&](const auto& held) {
      visit(partition_.with_shared(held.indices), partition_.shift(held.off));
    });
  }
  /// The cells of VP q's share that other VPs hold.
  [[nodiscard]] std::size_t held_elsewhere(std::size_t q, const std::optional<phase>& last) const;
  [[nodiscard]] box<D> home(std::size_t q) const noexcept {
    return q < partition_.holders() ? partition_.home(q) : box<D>{};
  }
  [[nodiscard]] placed_grid<D> slab(const untyped_grid<D>& grid) const noexcept;
  [[nodiscard]] placed_grid<D> in_window(const untyped_grid<D>& grid) const noexcept {
    return {grid, first()};
  }

  std::array<offset, D> size_;
  bands<D> partition_;
  distribution::vp_parts rows_;
  std::size_t rank_;
  rank_range here_;
  box<D> window_;
  std::vector<std::size_t> landing_;  ///< of each VP here: where its cells begin; and their number
};

}  // namespace pleat::detail::stencils
