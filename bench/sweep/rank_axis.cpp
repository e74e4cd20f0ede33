// SPDX-License-Identifier: Apache-2.0
#include "rank_axis.hpp"

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "measure/rank_launch.hpp"
#include "tool/numbers.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {

std::optional<rank_axis> rank_axis_of(const sweep_axes& axes,
                                      std::span<const std::string> programs) {
  if (axes.ranks.empty()) {
    if (!axes.mpi.empty())
      throw usage_error("--mpi: it is for ranks; say how many with --ranks 1,2,4");
    return {};
  }
  if (!axes.places.empty() || !axes.hardware_threads.empty())
    throw usage_error(
        "--ranks: ranks divide the cores of their node; leave --place and --hardware-threads out");
  for (const auto& name : programs) {
    if (find_sweep_program(name).types_over_ranks.empty())
      throw usage_error("--ranks: " + name + " is not measured over ranks; leave it out");
  }
  rank_axis result;
  for (const std::size_t count :
       parse_counts(axes.ranks, "--ranks", topology::host().available())) {
    if (count > most_ranks)
      throw usage_error("--ranks: " + std::to_string(count) + " are more than " +
                        std::to_string(most_ranks) + ", the most on one machine");
    result.counts.push_back(static_cast<unsigned>(count));
  }
  result.mpi = find_mpi(axes.mpi).name;
  return result;
}

}  // namespace pleat::bench
