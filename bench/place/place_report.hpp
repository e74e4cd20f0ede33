// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "barrier_reach.hpp"
#include "block_places.hpp"
#include "program_traffic.hpp"

namespace pleat::bench {

/// Findings of `pleat place` about a machine.
struct place_findings {
  topology machine;
  machine_options asked;
  placement where;
  memory_policy memory;
  std::vector<block_place> blocks;      ///< [processor]
  std::vector<barrier_reach> barriers;  ///< [label of M(p)]
  std::vector<program_traffic> traffic = {};
};

/// Finds out all but the traffic of programs. Requires: `asked` has a place. Throws: as
/// pleat::place and nodes_of_pages.
[[nodiscard]] place_findings find_places(const topology& machine, const machine_options& asked,
                                         const memory_policy& memory);

/// Tables for people; `columns`: of the terminal.
[[nodiscard]] std::string place_text(const place_findings& found,
                                     std::optional<std::size_t> columns = {});

/// `{"context": {…, memory, pages}, "place": {processors[], barriers[], traffic[]}}`.
[[nodiscard]] nlohmann::ordered_json place_json(const place_findings& found);

}  // namespace pleat::bench
