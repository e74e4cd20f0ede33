// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/oblivious/detail/stencil/bands.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {

/// Owners of the cells of a run over ranks, and the supersteps that move them from the caller's
/// grid and back. The caller's cells are in slabs; each VP has a share of its rank's slab. The VPs
/// of a rank work in a window of the grid, which has room for the cells that they receive.
template <std::size_t D> class PLEAT_API rank_cells {
 public:
  using phase = typename bands<D>::phase;

  /// Requires: the places outlive the object.
  rank_cells(const std::array<offset, D>& size, const bands<D>& partition,
             const distribution::rank_places& places, std::size_t rank);

  /// Size of the whole grid.
  [[nodiscard]] const std::array<offset, D>& size() const noexcept { return size_; }
  [[nodiscard]] const bands<D>& partition() const noexcept { return partition_; }
  /// The VPs that work in this rank's window.
  [[nodiscard]] const rank_range& here() const noexcept { return here_; }
  /// The cells for which this rank has memory. first() is the first cell of the fields on which the
  /// VPs work.
  [[nodiscard]] const box<D>& window() const noexcept { return window_; }
  [[nodiscard]] point<D> first() const noexcept {
    point<D> x;
    for (std::size_t i = 0; i < D; ++i) x[i] = window_.sides[i].first;
    return x;
  }
  /// VP q's share of the caller's cells.
  [[nodiscard]] box<D> share(std::size_t q) const noexcept;
  /// Number of the caller's cells on this rank whose new values come from VPs other than their
  /// owners.
  [[nodiscard]] std::size_t landing_cells() const noexcept { return landing_.back(); }

  /// Loads the cells that VP `me` has at home from the caller's slabs, in one superstep. `fields`
  /// and `slabs` have an entry for each field of the run; level 0 of the slabs goes to level
  /// `start`, and with `two` level 1 to the other level.
  task<> load(vp& me, const std::vector<untyped_field<D>>& slabs,
              const std::vector<untyped_field<D>>& fields, bool two, unsigned start) const;
  /// Stores level 0, and with `two` level 1, of the cells that VPs hold after their last phase in
  /// the slabs, in two supersteps; the slabs are written when no VP can fail. `landing` is memory
  /// for landing_cells() of all these levels.
  task<> store(vp& me, const std::vector<untyped_field<D>>& slabs,
               const std::vector<untyped_field<D>>& fields, bool two, const phase& last,
               std::byte* landing) const;

 private:
  /// Calls visit(cells, off) for the cells that VP q holds after a phase; VP q's own indices are
  /// greater by `off`.
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
  std::vector<std::size_t> landing_;  ///< beginning of the cells of each VP here; and their number
};

/// Data of a run over ranks on one rank.
template <std::size_t D> struct rank_run {
  const rank_cells<D>& cells;
  const any_sweeper<D>& with;                  ///< sweeper of its window
  const std::vector<untyped_field<D>>& slabs;  ///< the caller's, in both levels
  std::byte* landing;                          ///< see rank_cells::store
};

/// Number of VPs that have cells: `options.vps`, or the number, of `threads` at most, that pays for
/// a grid of this size and this size of cells.
template <std::size_t D>
PLEAT_API [[nodiscard]] std::size_t vps_over_ranks(std::size_t threads,
                                                   const std::array<offset, D>& size,
                                                   std::size_t bytes, std::size_t steps,
                                                   const stencil_options& options);

/// Performs the steps on all ranks, in one run of the call. `ready`: null on a rank where a failure
/// was recorded in the call.
template <std::size_t D>
PLEAT_API run_report run_steps_over_ranks(distribution::collective_call& call,
                                          const rank_run<D>* ready, std::size_t steps,
                                          const stencil_options& options);

}  // namespace pleat::detail::stencils
