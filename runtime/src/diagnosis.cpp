// SPDX-License-Identifier: Apache-2.0
// Why nobody goes on.
#include <algorithm>
#include <string>

#include <pleat/runtime/detail/run_state.hpp>
#include <pleat/runtime/detail/vp_channels.hpp>
#include <pleat/runtime/detail/worker.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

/// What waits_at says of each VP; of those that have ended, nowhere.
std::vector<unsigned> states_of(const run_state& run, std::size_t v) {
  std::vector<unsigned> states;
  states.reserve(v);
  for (std::size_t w = 0; w < run.active; ++w) {
    const worker& of = *run.workers[w];
    for (std::size_t rank = of.ranks().first; rank < of.ranks().last; ++rank)
      states.push_back(of.has_ended(rank) ? nowhere : of.waits_at(rank));
  }
  return states;
}

/// Two VPs of one i-cluster, one at sync(i), the other at a coarser barrier.
std::exception_ptr find_mismatch(const std::vector<unsigned>& states) {
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
    case channel_event::drained:
      break;
  }
  return " waits for what it lent to VP ";
}

std::string name_waits(const run_state& run, const std::vector<unsigned>& states) {
  constexpr std::size_t most_named = 6;
  std::string names;
  std::size_t named = 0, waiting = 0;
  const auto add = [&](const std::string& name) {
    ++waiting;
    if (named == most_named) return;
    names += (named++ == 0 ? "" : ", ") + name;
  };
  for (std::size_t w = 0; w < run.active; ++w) {
    for (const channel_wait& wait : run.workers[w]->waits()) {
      add("VP " + std::to_string(wait.rank) + what_for(wait.what.event) +
          std::to_string(wait.peer) +
          (wait.operation.empty() ? "" : " in " + std::string(wait.operation)));
    }
  }
  for (std::size_t rank = 0; rank < states.size(); ++rank) {
    if (states[rank] < most_labels)
      add("VP " + std::to_string(rank) + " waits at sync(" + std::to_string(states[rank]) + ")");
  }
  if (waiting > named) names += " and " + std::to_string(waiting - named) + " more";
  return names;
}

}  // namespace

std::exception_ptr diagnose(const run_state& run) {
  const std::vector<unsigned> states = states_of(run, run.plan->folding.vps());
  if (std::exception_ptr mismatch = find_mismatch(states)) return mismatch;
  return std::make_exception_ptr(
      deadlock("deadlock: no virtual processor can go on: " + name_waits(run, states) +
               "; every push needs its pop, every collective operation all its ranks, and a VP at "
               "a barrier does neither"));
}

}  // namespace pleat::detail
