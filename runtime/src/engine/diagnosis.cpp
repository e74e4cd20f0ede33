// SPDX-License-Identifier: Apache-2.0
//
// Diagnosis of a run in which no virtual processor can continue.
#include <algorithm>
#include <cstdint>
#include <string>

#include <pleat/runtime/error.hpp>

#include "engine/run_state.hpp"
#include "engine/wait_states.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

namespace {

/// Finds two VPs of one i-cluster, one at sync(i), the other at a coarser barrier.
std::exception_ptr find_mismatch(const std::vector<std::uint8_t>& states) {
  const std::size_t v = states.size();
  for (unsigned label = label_count(v); label-- > 1;) {
    for (std::size_t first = 0; first < v;) {
      const rank_range cluster = cluster_of(v, first, label);
      const auto begin = states.begin() + static_cast<std::ptrdiff_t>(cluster.first);
      const auto end = states.begin() + static_cast<std::ptrdiff_t>(cluster.last);
      const auto finer = std::find(begin, end, label);
      const auto coarser = std::find_if(begin, end, [&](unsigned s) { return s < label; });
      if (finer != end && coarser != end) {
        return std::make_exception_ptr(
            label_mismatch(static_cast<std::size_t>(finer - states.begin()), label,
                           static_cast<std::size_t>(coarser - states.begin()), *coarser));
      }
      first = cluster.last;
    }
  }
  return nullptr;
}

std::string what_for(channel_event event) {
  switch (event) {
    case channel_event::room:
      return " waits to push to VP ";
    case channel_event::value:
      return " waits to pop from VP ";
    case channel_event::rendezvous:
      return " waits for all from VP ";
    case channel_event::drained:
      break;
  }
  return " waits for what it lent to VP ";
}

std::string name_waits(const wait_states& all) {
  std::string names;
  std::size_t named = 0, waiting = all.waiting_at_channels;
  const auto name = [&](const std::string& one) {
    if (named == wait_states::most_named) return;
    names += (named++ == 0 ? "" : ", ") + one;
  };
  for (const std::string& one : all.at_channels) name(one);
  for (std::size_t rank = 0; rank < all.states.size(); ++rank) {
    const unsigned at = all.states[rank];
    if (at >= most_labels) continue;
    ++waiting;
    if (named < wait_states::most_named)
      name("VP " + std::to_string(rank) + " waits at sync(" + std::to_string(at) + ")");
  }
  if (waiting > named) names += " and " + std::to_string(waiting - named) + " more";
  return names;
}

}  // namespace

void wait_states::append(const wait_states& behind) {
  states.insert(states.end(), behind.states.begin(), behind.states.end());
  for (const std::string& one : behind.at_channels) {
    if (at_channels.size() < most_named) at_channels.push_back(one);
  }
  waiting_at_channels += behind.waiting_at_channels;
  if (left_over == nullptr) left_over = behind.left_over;
}

wait_states take_wait_states(const run_state& run) {
  wait_states all;
  for (std::size_t w = 0; w < run.now.active; ++w) {
    const worker& of = *run.workers[w];
    for (std::size_t rank = of.ranks().first; rank < of.ranks().last; ++rank) {
      const unsigned state = of.has_ended(rank) ? nowhere : of.waits_at(rank);
      all.states.push_back(static_cast<std::uint8_t>(state));
    }
    for (const channel_wait& wait : of.waits()) {
      if (++all.waiting_at_channels > wait_states::most_named) continue;
      all.at_channels.push_back(
          "VP " + std::to_string(wait.rank) + what_for(wait.what.event) +
          std::to_string(wait.peer) + (wait.what.event == channel_event::rendezvous ? " on" : "") +
          (wait.operation.empty() ? "" : " in " + std::string(wait.operation)));
    }
  }
  return all;
}

std::exception_ptr diagnose(const wait_states& all) {
  if (all.left_over != nullptr) return all.left_over;
  if (std::exception_ptr mismatch = find_mismatch(all.states)) return mismatch;
  return std::make_exception_ptr(
      deadlock("deadlock: no virtual processor can go on: " + name_waits(all) +
               "; every push needs its pop, every collective operation all its ranks, and a VP at "
               "a barrier does neither"));
}

}  // namespace pleat::detail
