// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pleat/collectives/tree_gather.hpp>
#include <pleat/collectives/tree_scatter.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat {
namespace {

// Throws: pleat::usage_error unless there is a length for each of `processors`, none for the root.
void require_lengths(std::size_t processors, std::span<const std::size_t> lengths) {
  if (lengths.size() != processors)
    throw usage_error("the lengths of " + std::to_string(lengths.size()) + " messages for " +
                      std::to_string(processors) + " processors: give one for each");
  if (lengths.empty() || lengths[0] != 0)
    throw usage_error("the root's own message does not travel: give length 0 for processor 0");
}

// A stream that a processor sends on: its own message or what comes from a child.
struct segment_of_stream {
  std::size_t earliest;  // steps after the order, if nothing else were sent
  std::size_t flits;
  std::size_t from;    // the processor itself, or the child
  std::size_t orders;  // orders sent up to that child's
};

// The streams of every processor in the order in which they are sent, and the certificates.
struct streams {
  std::vector<std::vector<segment_of_stream>> of;
  std::vector<transmission_certificate> certificates;

  streams(const processor_tree& tree, std::span<const std::size_t> lengths)
      : of(tree.size()), certificates(tree.size()) {
    // Children come after their parents: every subtree is complete when its root's turn comes.
    std::vector<std::vector<std::size_t>> children(tree.size());
    for (std::size_t i = tree.size(); i-- > 0;) {
      std::ranges::reverse(children[i]);
      certify(i, children[i], lengths[i]);
      if (i > 0 && certificates[i].flits > 0) children[tree.parent(i)].push_back(i);
    }
  }

 private:
  void certify(std::size_t i, const std::vector<std::size_t>& children, std::size_t own) {
    const std::size_t orders = children.size();
    if (own > 0) of[i].push_back({orders + 1, own, i, 0});
    std::size_t order = 0;
    for (const std::size_t child : children) {
      const auto& told = certificates[child];
      of[i].push_back({told.lag + orders + 1, told.flits, child, ++order});
    }
    std::ranges::sort(
        of[i], {}, [](const segment_of_stream& one) { return std::tuple(one.earliest, one.from); });
    // Begun at `lag`, each segment is due when those before it have been sent.
    transmission_certificate certificate;
    for (const auto& one : of[i]) {
      const std::size_t before = certificate.flits;
      if (one.earliest > before) certificate.lag = std::max(certificate.lag, one.earliest - before);
      certificate.flits += one.flits;
    }
    certificates[i] = certificate;
  }
};

}  // namespace

processor_tree::processor_tree(std::vector<std::size_t> parents)
    : parents_(std::move(parents)), depths_(parents_.size(), 0) {
  if (parents_.empty()) throw usage_error("a tree of no processors: there must be a root");
  for (std::size_t i = 1; i < size(); ++i) {
    if (parents_[i] >= i)
      throw usage_error("the parent of processor " + std::to_string(i) + " is " +
                        std::to_string(parents_[i]) + ": number every processor after its parent");
    depths_[i] = depths_[parents_[i]] + 1;
  }
}

tree_dispatch scatter_on_tree(const processor_tree& tree, std::span<const std::size_t> lengths) {
  require_lengths(tree.size(), lengths);
  tree_dispatch result;
  result.dispatch.assign(tree.size(), 0);
  for (std::size_t i = 1; i < tree.size(); ++i) {
    if (lengths[i] > 0) result.order.push_back(i);
  }
  std::ranges::sort(result.order, [&](std::size_t a, std::size_t b) {
    return tree.depth(a) != tree.depth(b) ? tree.depth(a) > tree.depth(b) : a < b;
  });
  std::size_t sent = 0;
  for (const std::size_t i : result.order) {
    result.dispatch[i] = sent;
    sent += lengths[i];
    result.steps = std::max(result.steps, sent + tree.depth(i) - 1);
  }
  return result;
}

tree_dispatch gather_on_path(std::span<const std::size_t> lengths) {
  require_lengths(lengths.size(), lengths);
  tree_dispatch result;
  result.dispatch.assign(lengths.size(), 0);
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    if (lengths[i] > 0) result.order.push_back(i);
  }
  std::size_t free = 0;  // when the last flit so far has passed processor 0's port
  for (const std::size_t i : result.order) {
    const std::size_t called = i == result.order.back() ? i : i + 1;
    result.dispatch[i] = std::max(called, free > i - 1 ? free - (i - 1) : 0);
    free = result.dispatch[i] + lengths[i] + i - 1;
  }
  result.steps = free;
  return result;
}

certified_gather gather_on_tree(const processor_tree& tree, std::span<const std::size_t> lengths) {
  require_lengths(tree.size(), lengths);
  streams plan(tree, lengths);
  certified_gather result;
  result.when.dispatch.assign(tree.size(), 0);
  result.ordered.assign(tree.size(), 0);

  // begin[i]: the step in which processor i sends the first flit of its stream. The root, which
  // receives only, would send what it received the step before.
  std::vector<std::size_t> begin(tree.size(), 0);
  begin[0] = plan.certificates[0].lag;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    std::size_t step = begin[i];
    for (const auto& one : plan.of[i]) {
      if (one.from == i) {
        result.when.dispatch[i] = step - 1;
      } else {
        begin[one.from] = step - 1;
        result.ordered[one.from] = result.ordered[i] + one.orders;
      }
      step += one.flits;
    }
  }
  const auto& all = plan.certificates[0];
  if (all.flits > 0) {
    result.first = all.lag - 1;
    result.when.steps = result.first + all.flits - 1;
  }
  for (std::size_t i = 1; i < tree.size(); ++i) {
    if (lengths[i] > 0) result.when.order.push_back(i);
  }
  std::ranges::sort(result.when.order, {},
                    [&](std::size_t i) { return result.when.dispatch[i] + tree.depth(i); });
  result.certificates = std::move(plan.certificates);
  return result;
}

}  // namespace pleat
