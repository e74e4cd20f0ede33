// SPDX-License-Identifier: Apache-2.0
#include "costs/degree_counter.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace pleat::detail {

namespace {

/// Spreads the bits of a pair of ranks, so that sums of such words tell sets of pairs apart.
/// The finaliser of Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", fig. 14.
std::uint64_t scatter(std::uint64_t pair) {
  pair = (pair ^ pair >> 30) * 0xbf58476d1ce4e5b9;
  pair = (pair ^ pair >> 27) * 0x94d049bb133111eb;
  return pair ^ pair >> 31;
}

}  // namespace

void degree_counter::start(std::size_t v, std::size_t processors) {
  labels_ = label_count(v);
  folding_.reset();
  if (processors != 0) folding_.emplace(v, std::min(processors, v));
  traffic_.reserve_zeroed(v + 1);  // one more, for the missing sibling of a last node
  inside_.reserve_zeroed(std::bit_ceil(v));
}

void degree_counter::count(std::span<const counted_messages> messages, rank_range cluster,
                           unsigned label, superstep_degrees& superstep, counted_run& run) {
  if (messages.empty()) return;
  if (folding_) {
    std::vector<std::uint64_t>& square = run.between[label];
    square.resize(processors() * processors());
    add_between(messages, square);
  }
  for (const counted_messages& m : messages) run.messages += m.count;
  add(messages, cluster, label, superstep);
  raise_degrees(cluster, label, superstep);
}

void degree_counter::add_between(std::span<const counted_messages> messages,
                                 std::vector<std::uint64_t>& square) {
  for (const counted_messages& m : messages) {
    square[folding_->owner(m.source) * folding_->processors() + folding_->owner(m.destination)] +=
        m.count;
  }
}

void degree_counter::add(std::span<const counted_messages> messages, rank_range cluster,
                         unsigned label, superstep_degrees& superstep) {
  const std::size_t leaves = std::size_t{1} << (labels_ - label);  // of the tree over the cluster
  traffic* const nodes = traffic_.data();
  std::uint64_t* const inside = inside_.data();
  constexpr std::size_t ahead = 32;  // in M(2^20) the table of receivers exceeds the caches
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const counted_messages& m = messages[i];
    if (i + ahead < messages.size())
      __builtin_prefetch(&nodes[messages[i + ahead].destination - cluster.first], 1);
    const std::size_t source = m.source - cluster.first;
    const std::size_t destination = m.destination - cluster.first;
    nodes[source].out += m.count;
    nodes[destination].in += m.count;
    const auto above = std::bit_width(source ^ destination);  // levels up to the common ancestor
    inside[(leaves + source) >> above] += m.count;
    pairs += m.count * scatter(std::uint64_t{m.source} << 32 | m.destination);
  }
  superstep.pairs += pairs;
}

void degree_counter::raise_degrees(rank_range cluster, unsigned label,
                                   superstep_degrees& superstep) {
  traffic* const nodes = traffic_.data();
  std::size_t width = cluster.size();
  for (unsigned j = labels_; j > label; --j) {
    if (j != labels_) {
      // Combines the processors of M(2^(j+1)) to those of M(2^j), in place.
      nodes[width] = {};  // the missing sibling of a last node
      width = (width + 1) / 2;
      std::uint64_t* const inside = inside_.data() + (std::size_t{1} << (j - label));
      for (std::size_t k = 0; k < width; ++k) {
        const traffic left = nodes[2 * k], right = nodes[2 * k + 1];
        const std::uint64_t between = std::exchange(inside[k], 0);
        nodes[k] = {left.out + right.out - between, left.in + right.in - between};
      }
    }
    std::uint64_t largest = superstep.h[j];
    for (std::size_t k = 0; k < width; ++k)
      largest = std::max({largest, nodes[k].out, nodes[k].in});
    superstep.h[j] = largest;
  }
  std::fill_n(nodes, cluster.size() + 1, traffic{});
}

void degree_counter::release_memory() noexcept {
  traffic_.release();
  inside_.release();
}

}  // namespace pleat::detail
