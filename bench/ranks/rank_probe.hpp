// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/probe.hpp>

#include "rank_group.hpp"
#include "tool/command_line.hpp"
#include "tool/machine_arguments.hpp"

namespace pleat::bench {

/// Costs of a superstep on every level of a machine over ranks, one virtual processor for each
/// worker: as pleat::probe for the levels of one process, with those above it on top. The largest
/// cluster of a level lies in a rank, in a node, or in several nodes.
///
/// The two halves of each cluster are paired, and exchange 0 bytes … 1 MiB. Collective, the result
/// is that of the first rank. Ends after about two seconds a level, with the rounds taken until
/// then. Throws: pleat::usage_error if there is one processor.
[[nodiscard]] std::vector<level_costs> probe_ranks(const rank_group& all, machine& on,
                                                   std::size_t rounds);

/// `pleat-… probe`.
struct distributed_probe {
  machine_arguments machine;
  std::string rounds = "40";
  bool json = false;

  void operator()(const rank_group& all) const;
};

}  // namespace pleat::bench
