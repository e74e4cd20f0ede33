// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placed_memory.hpp>

#include "big_block.hpp"

namespace pleat::bench {

/// The arrays that a measurement works on.
using measured_arrays = std::vector<const big_block*>;

/// Nodes on which the kernel has the pages of some arrays.
struct array_pages {
  page_counts counts;
  std::uint64_t astray = 0;  ///< not where the policy of their machine put them
};

/// Looks at the arrays' pages as they are now. None without arrays.
/// Cost: some 100 ns a page, twice. Throws: pleat::environment_error if the kernel does not tell.
[[nodiscard]] std::optional<array_pages> look_at(const measured_arrays& arrays);

/// Looks up the pages of a measurement that has been made on `on`: says on stderr if pages are not
/// where its policy put them, and what to do; and if a policy was chosen and the kernel does not
/// tell what came of it. None then.
[[nodiscard]] std::optional<array_pages> checked_pages(const machine& on,
                                                       const measured_arrays& arrays);

/// The policy without the size of pages, as `memory` in every JSON: "interleave", "bind:1".
[[nodiscard]] std::string nodes_text(memory_policy policy);

/// Makes `memory_pages` of every JSON: `{"page_bytes": 4096, "on_node": {"0": 512}, "absent": 0,
/// "astray": 0}`; null for none.
[[nodiscard]] nlohmann::ordered_json memory_pages_json(const std::optional<array_pages>& pages);

}  // namespace pleat::bench
