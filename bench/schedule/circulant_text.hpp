// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace pleat::bench {

/// The table of a broadcast's schedules, of all ranks or of one, as text or as JSON.
/// Throws: pleat::usage_error for numbers that make no sense, and for too many ranks.
[[nodiscard]] std::string circulant_text(const std::string& processors, const std::string& rank,
                                         bool as_json);

/// Throws: pleat::usage_error naming `option` if the word is no rank.
[[nodiscard]] std::size_t parse_rank(const std::string& word, std::size_t processors,
                                     const char* option = "--rank");

}  // namespace pleat::bench
