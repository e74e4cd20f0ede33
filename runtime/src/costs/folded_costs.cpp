// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/fold.hpp>

#include "costs/message_log.hpp"

namespace pleat {

namespace {

/// Messages from one processor to another.
struct crossing {
  std::uint32_t superstep, from, to;
  std::uint64_t weight;
};

/// Crossings of a run, by superstep.
std::vector<crossing> crossings_of(const detail::message_log& log, const fold& folding) {
  std::vector<crossing> all;
  for (const auto& one : log.messages) {
    const auto from = static_cast<std::uint32_t>(folding.owner(one.source));
    const auto to = static_cast<std::uint32_t>(folding.owner(one.destination));
    if (from != to) all.push_back({one.superstep, from, to, one.weight});
  }
  std::ranges::sort(all, {}, &crossing::superstep);
  return all;
}

/// Tells whether a label-cluster has virtual processors of several processors: whether it ends
/// elsewhere than the processors do.
bool joins_processors(const fold& folding, unsigned label) {
  for (std::size_t q = 1; q < folding.processors(); ++q) {
    const std::size_t first = folding.ranks(q).first;
    if (cluster_of(folding.vps(), first, label).first != first) return true;
  }
  return false;
}

}  // namespace

folded_costs folded(const cost_trace& direct, std::size_t p) {
  const detail::message_log* const log = direct.log();
  if (log == nullptr) {
    throw usage_error(
        "costs of a run whose messages were not kept cannot be folded: count it with "
        "tracing::messages");
  }
  if (p == 0 || p > direct.v()) {
    throw usage_error("M(" + std::to_string(direct.v()) + ") folded onto " + std::to_string(p) +
                      " processors: give 1 to " + std::to_string(direct.v()));
  }
  const fold folding(direct.v(), p);
  folded_costs costs{.processors = p};
  for (unsigned label = 0; label < direct.labels(); ++label)
    if (joins_processors(folding, label)) costs.supersteps += direct.S(label);

  const std::vector<crossing> all = crossings_of(*log, folding);
  std::vector<std::uint64_t> sent(p), received(p);
  for (auto first = all.begin(); first != all.end();) {
    std::uint64_t degree = 0;
    auto next = first;
    for (; next != all.end() && next->superstep == first->superstep; ++next)
      degree =
          std::max({degree, sent[next->from] += next->weight, received[next->to] += next->weight});
    for (; first != next; ++first) sent[first->from] = received[first->to] = 0;
    costs.degree += degree;
  }
  return costs;
}

}  // namespace pleat
