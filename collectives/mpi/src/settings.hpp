// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "choice.hpp"

namespace pleat::preloaded {

/// One row of a table: what was measured to be faster here with so many ranks.
struct tuned {
  operation what;
  std::size_t ranks;
  std::uint64_t sizes;
};

/// Settings of this process from its environment.
///
///   PLEAT_MPI_COLLECTIVES   auto, off, all, or operations to carry out at every size, the others
///                           being the MPI's: bcast,allgatherv. With report before or behind
///                           any of these, or alone for auto, counts are printed at the end
///   PLEAT_MPI_TABLE         a table that `mpi tune` wrote; without one, `auto` goes by cost
///   PLEAT_MPI_BLOCKS        the number of blocks, for experiments
///
/// A value that is none counts as not given, and `complaint` says so.
struct settings {
  enum class kind { automatic, off, named };

  kind what = kind::automatic;
  std::uint64_t named = 0;  ///< bit i: operation i at every size
  std::uint64_t blocks = 0;
  bool report = false;
  std::vector<tuned> table;
  std::optional<rank_message_cost> cost;
  std::string complaint;

  /// Choice of rank 0 for a communicator of that many ranks.
  [[nodiscard]] choice for_ranks(std::size_t ranks) const;
};

/// Read at the first call. `mpi tune` changes them before it makes communicators.
[[nodiscard]] settings& process_settings();

/// Reads settings from the values of the variables, null if not set; for the tests.
[[nodiscard]] settings read_settings(const char* collectives, const char* table,
                                     const char* blocks);

/// The lines of a table. Appends to `into`; false, and what is wrong in its complaint, if a line is
/// none.
bool read_table(std::string_view text, settings& into);

}  // namespace pleat::preloaded
