// SPDX-License-Identifier: Apache-2.0
#include "tree_messages.hpp"

#include <algorithm>
#include <tuple>

#include <pleat/collectives/tree_gather.hpp>
#include <pleat/runtime/error.hpp>

#include "tool/readable.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t most_hops = 2'000'000;

// [processor of the tree]
std::vector<std::size_t> lengths_of(const named_tree& tree, const std::vector<std::size_t>& flits) {
  const std::size_t n = tree.tree.size();
  std::vector<std::size_t> lengths(n, 1);
  lengths.front() = 0;
  if (!flits.empty()) {
    if (flits.size() != n - 1)
      throw usage_error("--flits: " + counted(flits.size(), "number") + " for " +
                        counted(n - 1, "processor") + ", all but the root");
    const std::size_t root = tree.names.front();
    for (std::size_t i = 1; i < n; ++i)
      lengths[i] = flits[tree.names[i] - (tree.names[i] > root ? 1 : 0)];
  }
  std::size_t hops = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (lengths[i] > most_hops || (hops += lengths[i] * tree.tree.depth(i)) > most_hops)
      throw usage_error(
          "the flits take more than two million hops; take a smaller tree or shorter "
          "--flits");
  }
  return lengths;
}

// Flits go up or down, one edge a step from the dispatch on.
schedule_messages hops(const char* kind, const named_tree& tree,
                       const std::vector<std::size_t>& lengths, const tree_dispatch& when,
                       bool down, std::string bound) {
  schedule_messages all{
      kind, tree.tree.size(), when.steps, std::move(bound), std::ranges::max(lengths) > 1, {}};
  for (std::size_t i = 1; i < tree.tree.size(); ++i) {
    const std::size_t depth = tree.tree.depth(i);
    for (std::size_t flit = 0; flit < lengths[i]; ++flit) {
      std::size_t child = i;
      for (std::size_t above = 0; above < depth; ++above, child = tree.tree.parent(child)) {
        const std::size_t hop = down ? depth - 1 - above : above;
        const std::size_t lower = tree.names[child], upper = tree.names[tree.tree.parent(child)];
        all.messages.push_back({when.dispatch[i] + flit + hop,
                                down ? upper : lower,
                                down ? lower : upper,
                                {{flit, tree.names[i]}}});
      }
    }
  }
  std::ranges::sort(all.messages, {}, [](const scheduled_message& one) {
    return std::tuple(one.round, one.from, one.to);
  });
  return all;
}

bool is_path(const processor_tree& tree) {
  for (std::size_t i = 1; i < tree.size(); ++i)
    if (tree.parent(i) + 1 != i) return false;
  return true;
}

}  // namespace

schedule_messages scatter_messages(const named_tree& tree, const std::vector<std::size_t>& flits) {
  const auto lengths = lengths_of(tree, flits);
  return hops("scatter", tree, lengths, scatter_on_tree(tree.tree, lengths), true,
              "no order of the messages takes fewer steps");
}

schedule_messages gather_messages(const named_tree& tree, const std::vector<std::size_t>& flits) {
  const auto lengths = lengths_of(tree, flits);
  if (is_path(tree.tree))
    return hops("gather", tree, lengths, gather_on_path(lengths), false,
                "with calls that go out from the end no dispatch takes fewer steps");
  const certified_gather gather = gather_on_tree(tree.tree, lengths);
  return hops("gather", tree, lengths, gather.when, false,
              "from the step on in which the root has its children's certificates; without a gap "
              "from step " +
                  std::to_string(gather.first));
}

}  // namespace pleat::bench
