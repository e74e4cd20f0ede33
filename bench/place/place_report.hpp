// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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
  placement_request request;
  placement where;
  memory_policy memory;
  std::vector<block_place> blocks;      ///< [processor]
  std::vector<barrier_reach> barriers;  ///< [label of M(p)]
  std::vector<program_traffic> traffic = {};
};

/// Without programs. Throws: as pleat::place and nodes_of_pages.
[[nodiscard]] place_findings find_places(const topology& machine, const placement_request& request,
                                         std::optional<unsigned> processors,
                                         const memory_policy& memory);

/// Tables for people; `columns`: of the terminal.
[[nodiscard]] std::string place_text(const place_findings& found,
                                     std::optional<std::size_t> columns = {});

/// `{"context": {…, memory, pages}, "place": {processors[], barriers[], traffic[]}}`.
[[nodiscard]] nlohmann::ordered_json place_json(const place_findings& found);

}  // namespace pleat::bench
