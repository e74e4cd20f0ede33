// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/program.hpp>
#include <pleat/oblivious/detail/stencil/rank_cells.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::stencils {

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
