// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <utility>

#include <pleat/runtime/cluster_tree.hpp>

namespace pleat {

cluster_tree::cluster_tree(const topology& machine, const placement& placed) : machine_(machine) {
  const std::size_t p = placed.processors.size();
  assert(p > 0);
  for (const processor& at : placed.processors) {
    const auto unit = machine_.find_pu(at.pu);
    assert(unit && "the placement was made from another topology");
    leaf_.push_back(machine_.units()[*unit].object);
  }
  labels_ = std::max(1u, static_cast<unsigned>(std::bit_width(p - 1)));

  // From single processors upwards: the object of a cluster is the common object of its two halves.
  std::vector<std::vector<cluster>> levels(labels_ + 1);
  for (unsigned i = labels_ + 1; i-- > 0;) {
    const std::size_t width = std::size_t{1} << (labels_ - i);
    for (std::size_t first = 0; first < p; first += width) {
      const std::size_t index = first / width;
      cluster c{i, index, first, std::min(width, p - first), {}, leaf_[first]};
      if (i < labels_) {
        const auto& halves = levels[i + 1];
        c.place = halves[2 * index].place;
        if (2 * index + 1 < halves.size())
          c.place = machine_.common_object(c.place, halves[2 * index + 1].place);
      }
      c.object = machine_.objects()[c.place].name;
      levels[i].push_back(std::move(c));
    }
  }
  for (auto& clusters : levels) {
    level_start_.push_back(clusters_.size());
    std::move(clusters.begin(), clusters.end(), std::back_inserter(clusters_));
  }
  level_start_.push_back(clusters_.size());
}

std::span<const cluster> cluster_tree::level(unsigned i) const {
  assert(i <= labels_);
  return clusters().subspan(level_start_[i], level_start_[i + 1] - level_start_[i]);
}

const cluster& cluster_tree::cluster_of(unsigned i, std::size_t rank) const {
  assert(i <= labels_ && rank < processors());
  return clusters_[level_start_[i] + (rank >> (labels_ - i))];
}

const topology_object& cluster_tree::common_object(std::size_t a, std::size_t b) const {
  assert(a < processors() && b < processors());
  return machine_.objects()[machine_.common_object(leaf_[a], leaf_[b])];
}

unsigned cluster_tree::distance(std::size_t a, std::size_t b) const {
  return common_object(a, b).height;
}

}  // namespace pleat
