// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <pleat/collectives/tree_scatter.hpp>

#include "messages.hpp"

namespace pleat::bench {

/// A tree of processors, and the numbers that the user gave them.
struct named_tree {
  processor_tree tree;
  std::vector<std::size_t> names;  ///< [processor of the tree]
};

/// The tree that a word describes: `path:8`, `star:8`, `binary:8`, `binomial:8`; the parents of 1,
/// 2, 3, …, each a smaller number: `0,0,1,1`; or `edges:FILE`, a graph with two numbers a line, of
/// which the shortest paths from `root` are the tree.
/// Throws: pleat::usage_error for other words, for a graph that does not hang together, and for a
/// root of another tree than a graph that is not 0.
[[nodiscard]] named_tree tree_of(const std::string& word, std::size_t root);

/// The steps of a scatter from the root, or of a gather to it, of one flit a processor or of
/// `flits`, a number for each processor but the root, in the order of their names. A gather on a
/// path is by wake-up calls, on another tree by certificates.
/// Throws: pleat::usage_error for another number of lengths; and as messages.hpp.
[[nodiscard]] schedule_messages scatter_messages(const named_tree& tree,
                                                 const std::vector<std::size_t>& flits);
[[nodiscard]] schedule_messages gather_messages(const named_tree& tree,
                                                const std::vector<std::size_t>& flits);

}  // namespace pleat::bench
