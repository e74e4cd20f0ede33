// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace pleat::bench {

enum class least_share { zero, above_zero };

/// A share of a whole as people write it: `2%`, or without the sign a fraction, `0.02`. Both are
/// 0.02 in every option of the tool.
///
/// Throws: pleat::usage_error naming `option` for anything else, for a whole or more, for less than
/// zero, and for zero where `least` is above it.
[[nodiscard]] double parse_share(std::string_view text, std::string_view option,
                                 least_share least = least_share::zero);

}  // namespace pleat::bench
