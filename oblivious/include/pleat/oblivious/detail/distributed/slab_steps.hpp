// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <functional>
#include <vector>

#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/halo_program.hpp>
#include <pleat/oblivious/detail/distributed/slabs.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::distribution {

/// Steps of fields that are in slabs. Each rank has a copy of its slabs with room for halos, its
/// window, in which it works; the slabs stay as they are until all ranks have made their steps.
///
///     exchange   each rank gets the k rows on either side of its own: one superstep
///     steps      each rank makes k steps, of which the s-th updates k − s rows on either side
///     … until all steps are made, or those after which the caller wants to see the grid
///     store      the ranks hear that none has failed; each copies its window into its slab
struct slab_steps {
  slabs rows;
  std::size_t depth;  ///< k
  std::size_t steps;
  std::vector<std::byte*> slab;      ///< of each field, this rank's
  std::vector<window_rows> windows;  ///< of each field; `first` is that of the window for k
  /// Makes `count` ≤ k steps of the rows at these places, in the windows.
  std::function<void(const interval<row_place>& places, std::size_t count)> step;

  /// Requires one step at least. Throws: what fails in `here` parts of the call on any rank, what
  /// `step` and `options.after` throw; usage_error, if `words` differ between ranks.
  PLEAT_API void run(machine& on, collective_call& call, const agreed_words& words,
                     const stencil_options& options) const;
};

}  // namespace pleat::detail::distribution
