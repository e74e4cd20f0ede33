// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/program.hpp>
#include <pleat/oblivious/detail/stencil/zoid.hpp>

namespace pleat::detail::stencils {

/// Which ends of the first dimension are no ends of the grid: cells beyond are elsewhere, and what
/// lies k indices from there is known for k steps.
struct open_ends {
  bool low = false, high = false;
};

/// Updates what can be known of a part of a grid: at step k, cells at least k + 1 indices away from
/// its open ends. Other cells keep values of earlier steps, which nothing depends on, so that the
/// kernel sees no neighbours but those of the whole grid.
///
/// Requires: the first dimension is not periodic.
template <std::size_t D> class PLEAT_API narrowing_sweeper final : public any_sweeper<D> {
 public:
  /// `of` updates what it is told to, and lives as long as this.
  narrowing_sweeper(const any_sweeper<D>& of, open_ends ends)
      : any_sweeper<D>(of.fields(), of.edges(), of.two(), of.chunk()), of_(of), ends_(ends) {}

  void sweep(const zoid<D>& tile, const part_of_zoid<D>& part, unsigned first_level) const override;

 private:
  const any_sweeper<D>& of_;
  open_ends ends_;
};

}  // namespace pleat::detail::stencils
