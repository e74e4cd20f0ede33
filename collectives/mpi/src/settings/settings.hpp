// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/choice.hpp"

namespace pleat::preloaded {

/// Row of a table: the sizes for which this library was measured to be faster than the MPI, for one
/// operation and number of ranks.
struct tuned {
  operation what;
  std::size_t ranks;
  std::uint64_t sizes;
  pipelining how;
};

/// Settings without a table.
struct fixed_settings {
  enum class kind { automatic, off, named };

  kind what = kind::automatic;
  std::uint64_t named = 0;  ///< bit i: operation i at every size
  std::uint64_t blocks = 0, radix = 0;
  pipelining how;  ///< of every operation, where it is not the default
  std::optional<rank_message_cost> cost;
};

/// Settings of this process from its environment.
///
///   PLEAT_MPI_COLLECTIVES   auto, off, all, or a list of operations such as bcast,allgatherv:
///                           these are carried out here at every size, all others by the MPI.
///                           `report` among them prints counts at the end. For experiments
///                           `blocks=8` is the number of blocks, `radix=2` that of exchanges,
///                           `window=4` how many receives, and sends, are begun at once
///   PLEAT_MPI_TABLE         a table that `mpi tune` wrote; without one, `auto` decides by cost
///
/// An invalid value is ignored as if the variable were not set, and `complaint` says so. All ranks
/// take those of rank 0 of MPI_COMM_WORLD.
struct settings : fixed_settings {
  bool report = false;
  std::vector<tuned> table;
  std::string complaint;

  /// Choice for a communicator of `ranks` ranks.
  [[nodiscard]] choice for_ranks(std::size_t ranks) const;
  /// Tells whether calls among ranks on these nodes are ours only where a row of the table for so
  /// many ranks says that they are faster: `auto` on one node.
  [[nodiscard]] bool only_measured(const std::vector<int>& nodes) const;
  /// Choice for a communicator whose ranks are on these nodes.
  [[nodiscard]] choice for_nodes(const std::vector<int>& nodes) const;
  /// Tells whether some call may be carried out here among ranks of which all are on these nodes.
  [[nodiscard]] bool any_on(const std::vector<int>& nodes) const;
};

/// Returns the settings of the process, which the first call reads. `mpi tune` changes them before
/// it makes communicators.
[[nodiscard]] settings& process_settings();

/// Values of the variables; null if not set.
struct setting_values {
  const char* collectives = nullptr;
  const char* table = nullptr;
};

/// Reads settings from the values of the variables; for the tests.
[[nodiscard]] settings read_settings(const setting_values& of);

/// Appends the rows of a table to `into`. If a line is no row, returns false, empties the table and
/// sets `into.complaint`.
bool read_table(std::string_view text, settings& into);

/// Tells whether the program, or a library that it has loaded, refers to a non-blocking or
/// persistent collective call by its name in C or Fortran. The MPI's own libraries, and this one,
/// do not count.
[[nodiscard]] bool refers_to_non_blocking_calls();

}  // namespace pleat::preloaded
