// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <utility>

#include <pleat/collectives/tree_scatter.hpp>

/// A tree of single-port processors, flit by flit: which port is busy in which step.
class flit_network {
 public:
  explicit flit_network(const pleat::processor_tree& tree) : tree_(tree) {}

  /// One flit, or call, or order, from a processor to a neighbour. False if a port is busy.
  bool hop(std::size_t from, std::size_t to, std::size_t step) {
    if (step == 0) return false;
    return sends_.emplace(from, step).second && receives_.emplace(to, step).second;
  }

  /// A message from the root to a processor, its first flit sent in step dispatch + 1.
  bool scatter(std::size_t destination, std::size_t length, std::size_t dispatch) {
    for (std::size_t flit = 1; flit <= length; ++flit) {
      std::size_t step = dispatch + flit + tree_.depth(destination) - 1;
      last_ = step > last_ ? step : last_;
      for (std::size_t at = destination; at != 0; at = tree_.parent(at), --step) {
        if (!hop(tree_.parent(at), at, step)) return false;
      }
    }
    return true;
  }

  /// A message from a processor to the root, its first flit sent in step dispatch + 1.
  bool gather(std::size_t source, std::size_t length, std::size_t dispatch) {
    for (std::size_t flit = 1; flit <= length; ++flit) {
      std::size_t step = dispatch + flit;
      for (std::size_t at = source; at != 0; at = tree_.parent(at), ++step) {
        if (!hop(at, tree_.parent(at), step)) return false;
      }
      last_ = step - 1 > last_ ? step - 1 : last_;
    }
    return true;
  }

  /// The step in which the last flit so far arrives.
  [[nodiscard]] std::size_t last() const { return last_; }

 private:
  const pleat::processor_tree& tree_;
  std::set<std::pair<std::size_t, std::size_t>> sends_;     // processor, step
  std::set<std::pair<std::size_t, std::size_t>> receives_;  // processor, step
  std::size_t last_ = 0;
};
