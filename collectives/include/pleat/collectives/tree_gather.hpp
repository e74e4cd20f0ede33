// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <pleat/collectives/tree_scatter.hpp>

namespace pleat {

/// Schedule of a gather on a path 0 — 1 — … — n − 1 to its end 0, by shoulder tapping: a wake-up
/// call goes out from 0, one hop a step, up to the farthest message; a processor first forwards the
/// call, then sends its message. The nearest message is received first. With such calls, no other
/// dispatch times take fewer steps.
///
/// dispatch[i] = max(e, dispatch[j] + lengths[j] − (i − j)), where j is the next nearer processor
/// with a message, and e = i + 1, or i for the farthest message, whose sender has no call to
/// forward.
///
/// Requires: lengths[0] = 0. Cost: O(n). Throws: pleat::usage_error otherwise; std::bad_alloc.
///
/// Source: Sandeep N. Bhatt, Geppino Pucci, Abhiram Ranade, Arnold L. Rosenberg, Scattering and
/// Gathering Messages in Networks of Processors, 1993, doi:10.1109/12.238484, section 3.1,
/// Theorem 2.
[[nodiscard]] PLEAT_API tree_dispatch gather_on_path(std::span<const std::size_t> lengths);

/// Message of a processor to its parent: `lag` steps after an order it can begin to send all flits
/// of its subtree, `flits` in number, without a gap.
struct transmission_certificate {
  std::size_t lag = 1;
  std::size_t flits = 0;

  friend bool operator==(const transmission_certificate&,
                         const transmission_certificate&) = default;
};

/// Schedule of a gather on a tree by transmission certificates, from the step in which the root has
/// the certificates of its children and begins to send orders.
///
/// A processor that gets an order in step t forwards it to the children whose subtrees have
/// messages, one in each of the next steps, in ascending order of their numbers. Then it sends its
/// own message and relays the streams of its children, in ascending order of lag, so that the root
/// receives all flits without a gap.
struct certified_gather {
  tree_dispatch when;                                  ///< of the processors' own messages
  std::vector<transmission_certificate> certificates;  ///< [processor]; {1, 0} without flits
  std::vector<std::size_t> ordered;  ///< [processor]: step of its order; 0: none, or root
  std::size_t first = 0;             ///< step in which the root receives the first flit
};

/// Returns that schedule. Requires: as many lengths as processors; lengths[0] = 0.
/// Cost: O(n log n). Throws: pleat::usage_error for other lengths; std::bad_alloc.
/// Source: as gather_on_path, section 3.2. Subtrees without messages get no orders, which is ours.
[[nodiscard]] PLEAT_API certified_gather gather_on_tree(const processor_tree& tree,
                                                        std::span<const std::size_t> lengths);

}  // namespace pleat
