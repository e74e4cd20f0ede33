// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace pleat::bench {

/// A count as people write it: `1048576`, `2^20`, `1e6`, `1.5e6`, `1Mi` (Ki, Mi, Gi: powers of
/// 1024), `1M` (k, M, G: powers of 1000).
///
/// Throws: pleat::usage_error naming `option` for anything else (fractions and overflow included)
/// and for less than `least`.
[[nodiscard]] std::size_t parse_count(std::string_view text, std::string_view option,
                                      std::size_t least = 0);

/// Counts and ranges of counts, separated by commas: `1,2,4..max`, `2^10..2^25`, `1..8+1`.
///
/// `a..b` doubles from a and always ends with b itself; `a..b*k` multiplies by k instead, `a..b+k`
/// adds k. The word `max` stands for `max` where there is one. Duplicates are dropped, the order
/// stays as written.
///
/// A range up to `max` also bounds what was written before it: on a machine of two processors
/// `1,2,4..max` is 1,2, on a machine of one it is 1.
///
/// Throws: pleat::usage_error naming `option` for malformed text, an empty list, a value of zero, a
/// range that does not ascend, or more than 4,096 values.
[[nodiscard]] std::vector<std::size_t> parse_counts(std::string_view text, std::string_view option,
                                                    std::optional<std::size_t> max = {});

enum class least_share { zero, above_zero };

/// A share of a whole as people write it: `2%`, or without the sign a fraction, `0.02`. Both are
/// 0.02 in every option of the tool.
///
/// Throws: pleat::usage_error naming `option` for anything else, for a whole or more, for less than
/// zero, and for zero where `least` is above it.
[[nodiscard]] double parse_share(std::string_view text, std::string_view option,
                                 least_share least = least_share::zero);

}  // namespace pleat::bench
