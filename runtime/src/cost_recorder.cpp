// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include <pleat/runtime/detail/cost_recorder.hpp>
#include <pleat/runtime/error.hpp>

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

void cost_recorder::start(std::size_t v) {
  v_ = v;
  labels_ = label_count(v);
  messages_ = 0;
  log_.clear();
  supersteps_.clear();
  first_ranks_.clear();
  difference_.reset();
  unfinished_superstep_ = never;
  supersteps_done_.assign(v, 0);
  folding_.reset();
  between_.clear();
  if (processors_ != 0) {
    folding_.emplace(v, std::min(processors_, v));
    between_.resize(labels_);
  }
  traffic_.reserve_zeroed(v + 1);  // one more: a last node may lack a sibling
  inside_.reserve_zeroed(std::bit_ceil(v));
}

void cost_recorder::begin_superstep(std::size_t rank, unsigned label) {
  first_ranks_.push_back(static_cast<std::uint32_t>(rank));
  supersteps_.push_back({label, std::vector<std::uint64_t>(labels_ + 1), 0});
}

void cost_recorder::differ(std::size_t superstep, std::size_t rank, unsigned label) {
  if (!difference_ || superstep < difference_->superstep) difference_ = {superstep, rank, label};
}

void cost_recorder::completed(rank_range cluster, unsigned label) {
  if (log_.empty() || !cluster.contains(log_.back().source)) return;
  superstep_degrees& superstep = supersteps_[supersteps_done_[log_.back().source] - 1];
  take_from_log(cluster, label, superstep);
  raise_degrees(cluster, label, superstep);
}

void cost_recorder::take_from_log(rank_range cluster, unsigned label,
                                  superstep_degrees& superstep) {
  const std::size_t leaves = std::size_t{1} << (labels_ - label);  // of the tree over the cluster
  std::uint64_t* between = nullptr;
  const std::size_t p = folding_ ? folding_->processors() : 0;
  if (folding_) {
    between_[label].resize(p * p);
    between = between_[label].data();
  }
  traffic* const nodes = traffic_.data();
  std::uint64_t* const inside = inside_.data();
  constexpr std::ptrdiff_t ahead = 32;  // in M(2^20) the table of receivers lies in memory
  auto last = log_.end();
  for (; last != log_.begin() && cluster.contains(std::prev(last)->source); --last) {
    const entry& m = *std::prev(last);
    if (last - log_.begin() > ahead) {  // it may be another cluster's: an address, not a pointer
      const std::size_t later = std::prev(last, ahead + 1)->destination - cluster.first;
      __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(nodes) +
                                                       later * sizeof(traffic)),
                         1);
    }
    const std::size_t source = m.source - cluster.first;
    const std::size_t destination = m.destination - cluster.first;
    nodes[source].out += m.count;
    nodes[destination].in += m.count;
    const auto above = std::bit_width(source ^ destination);  // levels up to the common ancestor
    inside[(leaves + source) >> above] += m.count;
    superstep.pairs += m.count * scatter(std::uint64_t{m.source} << 32 | m.destination);
    messages_ += m.count;
    if (between != nullptr) [[unlikely]]
      between[folding_->owner(m.source) * p + folding_->owner(m.destination)] += m.count;
  }
  log_.erase(last, log_.end());
}

void cost_recorder::raise_degrees(rank_range cluster, unsigned label,
                                  superstep_degrees& superstep) {
  traffic* const nodes = traffic_.data();
  std::size_t width = cluster.size();
  for (unsigned j = labels_; j > label; --j) {
    if (j != labels_) {
      // From the processors of 2^(j+1) to those of 2^j, in place.
      nodes[width] = {};  // the sibling the last one may lack
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

void cost_recorder::ended(std::size_t rank) {
  if (log_.empty() || log_.back().source != rank) return;
  while (!log_.empty() && log_.back().source == rank) log_.pop_back();
  if (supersteps_done_[rank] < unfinished_superstep_) {
    unfinished_superstep_ = supersteps_done_[rank];
    unfinished_rank_ = rank;
  }
}

cost_trace cost_recorder::finish() {
  const auto sync = [](unsigned label) { return "sync(" + std::to_string(label) + ")"; };
  const auto vp = [](std::size_t rank) { return "VP " + std::to_string(rank); };
  if (difference_) {
    const auto [superstep, rank, label] = *difference_;
    throw usage_error("no costs: in superstep " + std::to_string(superstep) + " " +
                      vp(first_ranks_[superstep]) + " performs " +
                      sync(supersteps_[superstep].label) + " and " + vp(rank) + " " + sync(label) +
                      "; a program is counted if all VPs perform the same sequence of labels");
  }
  if (unfinished_superstep_ < supersteps_.size()) {
    throw usage_error("no costs: in superstep " + std::to_string(unfinished_superstep_) + " " +
                      vp(unfinished_rank_) + " ends after it has sent, and " +
                      vp(first_ranks_[unfinished_superstep_]) + " performs " +
                      sync(supersteps_[unfinished_superstep_].label) +
                      "; a program is counted if every VP performs a sync after its last message");
  }
  return {v_, std::move(supersteps_), messages_, folding_ ? folding_->processors() : 0,
          std::move(between_)};
}

void cost_recorder::release_memory() noexcept {
  const auto release = [](auto& vector) {
    std::remove_reference_t<decltype(vector)>().swap(vector);
  };
  release(log_);
  release(supersteps_done_);
  release(supersteps_);
  release(first_ranks_);
  release(between_);
  traffic_.release();
  inside_.release();
}

}  // namespace pleat::detail
