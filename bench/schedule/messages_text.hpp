// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "messages.hpp"

namespace pleat::bench {

[[nodiscard]] inline bool is_tree(std::string_view kind) {
  return kind == "scatter" || kind == "gather";
}

/// The messages as a table. Throws: pleat::usage_error if there are more than somebody reads.
[[nodiscard]] std::string messages_text(const schedule_messages& of);

/// The messages as JSON, see bench/docs/json.md.
[[nodiscard]] std::string messages_json(const schedule_messages& of);

}  // namespace pleat::bench
