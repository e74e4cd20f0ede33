// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace pleat {

/// A tree of processors. Its root is 0, and every other processor has a greater number than its
/// parent.
///
/// The model of the schedules for trees: in a step a processor sends at most one flit and receives
/// at most one flit. Steps are numbered from 1. The message of processor i has lengths[i] flits, 0
/// for none; its flits are sent without a gap, and every processor on the path forwards each flit
/// in the step after its arrival, so none is stored on the way.
class PLEAT_API processor_tree {
 public:
  /// `parents[i]` is the parent of i; parents[0] is ignored.
  /// Cost: O(n). Throws: pleat::usage_error unless there is a root and parents[i] < i for all
  /// others; std::bad_alloc.
  explicit processor_tree(std::vector<std::size_t> parents);

  [[nodiscard]] std::size_t size() const noexcept { return parents_.size(); }
  /// Requires: 0 < i < size().
  [[nodiscard]] std::size_t parent(std::size_t i) const noexcept { return parents_[i]; }
  /// Edges between i and the root. Requires: i < size().
  [[nodiscard]] std::size_t depth(std::size_t i) const noexcept { return depths_[i]; }

 private:
  std::vector<std::size_t> parents_;
  std::vector<std::size_t> depths_;
};

/// Times at which messages are sent, and the number of steps.
struct tree_dispatch {
  /// [processor]: steps before the first flit of its message is sent, which happens in step
  /// dispatch + 1. Unspecified if there is no message.
  std::vector<std::size_t> dispatch;
  std::vector<std::size_t> order;  ///< processors with messages, as these pass the root
  std::size_t steps = 0;           ///< step in which the last flit arrives; 0 without messages
};

/// Returns the schedule of a scatter in which the root sends lengths[i] flits to each processor i >
/// 0: farthest destination first, without a pause. No order takes fewer steps, on any tree.
///
/// Requires: as many lengths as processors; lengths[0] = 0, the root has its own.
/// Cost: O(n log n). Throws: pleat::usage_error for other lengths; std::bad_alloc.
///
/// Source: Sandeep N. Bhatt, Geppino Pucci, Abhiram Ranade, Arnold L. Rosenberg, Scattering and
/// Gathering Messages in Networks of Processors, 1993, doi:10.1109/12.238484, section 2,
/// Theorem 1.
[[nodiscard]] PLEAT_API tree_dispatch scatter_on_tree(const processor_tree& tree,
                                                      std::span<const std::size_t> lengths);

}  // namespace pleat
