// SPDX-License-Identifier: Apache-2.0
#include "costs/cost_recorder.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

namespace pleat::detail {

void cost_recorder::start(std::size_t v) {
  labels_ = label_count(v);
  log_.clear();
  synced_ = 0;
  kept_.clear();
  any_order_ = false;
  aside_.clear();
  has_pushed_.clear();
  supersteps_done_.assign(v, 0);
  degrees_.start(v, processors_);
  counted_.start(v, degrees_.processors());
}

void cost_recorder::pushed(std::size_t source, std::size_t destination) {
  message(source, source, destination, 1);
  if (source == destination) return;
  ++counted_.streamed;
  any_order_ = true;
  has_pushed_.resize(supersteps_done_.size());
  has_pushed_[source] = true;
}

void cost_recorder::suspended(std::size_t rank) {
  any_order_ = true;
  if (log_.size() == synced_) return;
  const auto first = log_.begin() + static_cast<std::ptrdiff_t>(synced_);
  std::vector<counted_messages>& its = aside_[rank];
  its.insert(its.end(), first, log_.end());
  log_.erase(first, log_.end());
}

bool cost_recorder::take_back(std::size_t rank) {
  if (const auto found = aside_.find(rank); found != aside_.end()) {
    log_.insert(log_.end(), found->second.begin(), found->second.end());
    aside_.erase(found);
  }
  const bool pushed = !has_pushed_.empty() && has_pushed_[rank];
  if (pushed) has_pushed_[rank] = false;
  return pushed;
}

void cost_recorder::completed(rank_range cluster, unsigned label) {
  if (any_order_) {
    const part_of_superstep part = take_sent_by(cluster);
    if (!part.messages.empty())
      degrees_.count(part.messages, cluster, label, counted_.supersteps[part.superstep], counted_);
    return;
  }
  if (log_.empty() || !cluster.contains(log_.back().source)) return;
  auto first = log_.end();
  while (first != log_.begin() && cluster.contains(std::prev(first)->source)) --first;
  superstep_degrees& superstep = counted_.supersteps[superstep_of(log_.back())];
  degrees_.count({first, log_.end()}, cluster, label, superstep, counted_);
  log_.erase(first, log_.end());
  synced_ = log_.size();
}

cost_recorder::part_of_superstep cost_recorder::take_sent_by(rank_range part) {
  part_of_superstep taken;
  const auto is_of_part = [&](const counted_messages& m) { return part.contains(m.source); };
  std::ranges::copy_if(log_, std::back_inserter(taken.messages), is_of_part);
  std::erase_if(log_, is_of_part);
  synced_ = log_.size();
  if (!taken.messages.empty()) taken.superstep = superstep_of(taken.messages.front());
  return taken;
}

void cost_recorder::ended(std::size_t rank) {
  if (any_order_ && take_back(rank)) counted_.last_pusher = rank;
  if (log_.size() == synced_) return;
  log_.erase(log_.begin() + static_cast<std::ptrdiff_t>(synced_), log_.end());
  counted_.ended_after_sending(supersteps_done_[rank], rank);
}

std::size_t cost_recorder::superstep_of(const counted_messages& one) const noexcept {
  return std::max(supersteps_done_[one.source], supersteps_done_[one.destination]) - std::size_t{1};
}

void cost_recorder::keep(std::size_t rank, std::size_t source, std::size_t destination,
                         std::uint64_t count) {
  kept_.push_back({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(destination),
                   supersteps_done_[rank], count});
}

void cost_recorder::add_rounds_to_kept() {
  const std::vector<superstep_degrees>& all = counted_.supersteps;
  if (counted_.rounds.empty()) return;
  // Messages that were sent before a round belong to the superstep of the next sync.
  std::vector<std::uint32_t> next_sync(all.size() + 1, static_cast<std::uint32_t>(all.size()));
  for (std::size_t s = all.size(); s-- > 0;)
    next_sync[s] =
        all[s].label == counted_run::round ? next_sync[s + 1] : static_cast<std::uint32_t>(s);
  std::vector<std::vector<message_log::message>> of_superstep(all.size() + 1);
  for (message_log::message& m : kept_) {
    m.superstep = next_sync[m.superstep];
    of_superstep[m.superstep].push_back(m);
  }
  for (std::uint32_t s = 0; s < counted_.rounds.size(); ++s) {
    for (const counted_messages& m : counted_.rounds[s])
      if (m.count != 0) of_superstep[s].push_back({m.source, m.destination, s, m.count});
  }
  kept_.clear();
  for (const auto& messages : of_superstep)
    kept_.insert(kept_.end(), messages.begin(), messages.end());
}

std::shared_ptr<const message_log> cost_recorder::take_log() {
  if (!keeps_messages_) return nullptr;
  auto log = std::make_shared<message_log>();
  log->supersteps = std::move(supersteps_done_);
  add_rounds_to_kept();
  std::vector<std::size_t>& first = log->first;
  first.assign(log->supersteps.size() + 2, 0);  // [rank + 1], until its messages are stored
  for (const message_log::message& m : kept_) ++first[m.source + std::size_t{2}];
  for (std::size_t i = 2; i < first.size(); ++i) first[i] += first[i - 1];
  log->messages.resize(kept_.size());
  for (const message_log::message& m : kept_) log->messages[first[m.source + std::size_t{1}]++] = m;
  first.pop_back();
  kept_.clear();
  return log;
}

void cost_recorder::release_memory() noexcept {
  const auto release = [](auto& vector) {
    std::remove_reference_t<decltype(vector)>().swap(vector);
  };
  release(log_);
  release(kept_);
  release(supersteps_done_);
  counted_ = {};
  degrees_.release_memory();
}

}  // namespace pleat::detail
