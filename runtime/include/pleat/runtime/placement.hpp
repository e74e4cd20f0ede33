// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/topology.hpp>

namespace pleat {

/// Choice of the processing units for the workers of a machine, and of their order.
///
/// Notation in `PLEAT_PLACE` and on the command line (which also take `unpinned`: set_place):
///
///     compact      neighbours in rank are neighbours in hardware (the default): clusters of M(p)
///                  coincide with caches, NUMA nodes, packages
///     spread       equally many cores of each package, each of its NUMA nodes, each L3 cache;
///                  among these, neighbours in rank are neighbours in hardware
///     scatter      the cores of spread, but neighbours in rank are as far apart as can be: ranks
///                  alternate between packages, inside these between nodes, then between caches
///     numa:N       the cores of NUMA node N (operating system's index, as numactl counts)
///     p-cores      the fastest kind of core of a hybrid processor, or all cores if alike
///     e-cores      the slowest kind of core of a hybrid processor
///     list:0,2-5   these PUs (operating system's indexes, as taskset counts) in this order
///
/// There is one worker per core, or with the suffix `/pu` ("spread/pu") one per hardware thread. A
/// list names PUs already and takes no `/pu`.
struct placement_request {
  enum class policy { compact, spread, scatter, numa, p_cores, e_cores, list };

  policy how = policy::compact;
  bool every_pu = false;            ///< one worker per hardware thread, not per core
  unsigned numa = 0;                ///< policy::numa
  std::vector<unsigned> list = {};  ///< policy::list, no PU twice

  friend bool operator==(const placement_request&, const placement_request&) = default;
};

/// Reads the notation above. Throws usage_error that shows the notation if `text` does not follow
/// it.
[[nodiscard]] PLEAT_API placement_request parse_placement(std::string_view text);

/// Returns the notation above. parse_placement converts it back. Throws: std::bad_alloc.
[[nodiscard]] PLEAT_API std::string to_string(const placement_request& request);

/// Reads a number of processors, as in `PLEAT_NUM_PROCESSORS`: 1 … max_processors.
/// Throws usage_error.
[[nodiscard]] PLEAT_API unsigned parse_processors(std::string_view text);

/// Greatest number of workers. A request for more is taken as a mistake: only virtual processors
/// may be that many.
inline constexpr unsigned max_processors = 65536;

/// The processors of M(p), in rank order.
struct placement {
  std::vector<processor> processors;
  bool oversubscribed = false;  ///< two workers share a PU, or the quota is smaller than p
  std::string warning;          ///< if oversubscribed: one line that says why and what to do
  std::vector<unsigned> contended = {};  ///< PUs among these that other machines use, ascending
};

/// Chooses the processing unit of each worker.
///
/// \param processors p; unset: as many as can run at full speed: one per core (PU) of the policy,
///        at most the quota; for a list its length
/// \param taken PUs on which other machines have workers
///
/// If p is smaller than the choice, p consecutive cores (PUs) are taken: those with the fewest
/// cores that have a taken PU; among equals, the first that begin at a multiple of p, else the
/// first. So machines of equal size divide the caches between them. Of a list, the first p PUs are
/// taken. If p is larger, workers are assigned round robin, first to the further hardware threads
/// of the same cores, then to PUs that already have a worker (oversubscribed). Workers that share a
/// core or a PU have neighbouring ranks, so that their traffic stays there.
///
/// Guarantees: only allowed PUs; p processors with ranks 0 … p − 1.
/// Throws usage_error (p = 0 or above max_processors), no_such_place (a PU or NUMA node that does
/// not exist), environment_error (a PU that is not allowed, an empty choice), each with a message
/// that lists the available ones; std::bad_alloc.
/// Cost: O(PUs · depth + p). Thread-safe.
[[nodiscard]] PLEAT_API placement place(const topology& machine,
                                        const placement_request& request = {},
                                        std::optional<unsigned> processors = std::nullopt,
                                        std::span<const unsigned> taken = {});

}  // namespace pleat
