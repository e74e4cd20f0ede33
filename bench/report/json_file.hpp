// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace pleat::bench {

/// Reads JSON from a file or a pipe: at most 1 GiB, nested at most 100 deep.
///
/// Throws: pleat::usage_error, one line that says whether the file cannot be read, is neither file
/// nor pipe, is too large, is cut short, or is no JSON.
[[nodiscard]] nlohmann::ordered_json read_json_file(const std::string& name);

/// Reads JSON from the text of a file.
[[nodiscard]] nlohmann::ordered_json json_from(std::string_view text, const std::string& name);

/// Text of a document, which may quote bytes that are not UTF-8: they are replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document, int indent = -1);

}  // namespace pleat::bench
