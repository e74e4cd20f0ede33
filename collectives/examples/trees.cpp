// SPDX-License-Identifier: Apache-2.0
// Messages of different lengths to and from the nodes of a tree, without buffers on the way: when
// does each set out?
#include <cstdio>
#include <vector>

#include <pleat/collectives/tree_gather.hpp>
#include <pleat/collectives/tree_scatter.hpp>

int main() {
  //     0
  //    / \        parents of 1, 2, 3, 4, 5
  //   1   2
  //  / \   \      what each sends or gets, in flits
  // 3   4   5
  const pleat::processor_tree tree({0, 0, 0, 1, 1, 2});
  const std::vector<std::size_t> lengths{0, 2, 3, 4, 1, 5};

  const pleat::tree_dispatch out = pleat::scatter_on_tree(tree, lengths);
  std::printf("scatter, the farthest first:");
  for (const std::size_t node : out.order) std::printf(" %zu", node);
  std::printf("; %zu steps\n", out.steps);

  const pleat::certified_gather in = pleat::gather_on_tree(tree, lengths);
  std::printf("gather:");
  for (const std::size_t node : in.when.order) std::printf(" %zu", node);
  std::printf("; %zu steps, the first flit in step %zu\n", in.when.steps, in.first);

  // No flit waits: the root is busy from the first to the last.
  return out.steps >= 15 && in.when.steps == in.first + 15 - 1 ? 0 : 1;
}
