// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "case_record.hpp"

namespace pleat::bench {

/// The rivals of each program of a sweep: those that were asked for, all if none was named.
/// Programs that have none of them are left out.
///
/// Throws: pleat::usage_error for a rival that is unknown or is of none of the programs;
/// pleat::environment_error if pleat-rivals is not there.
[[nodiscard]] std::map<std::string, std::vector<std::string>> rivals_of_programs(
    std::span<const case_record> records, const std::vector<std::string>& wanted);

}  // namespace pleat::bench
