// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "work.hpp"

namespace pleat::bench {

/// Whether a work can do what was chosen, before anything is measured: every option means something
/// to it, and every value is one it takes. The distribution has a
/// default, so whether it was chosen is said beside.
/// Throws: pleat::usage_error naming the option, the work and what it takes.
void check_options(const work& checked, const work_options& options, bool distribution_given);

/// The names of those it can be measured beside.
[[nodiscard]] std::vector<std::string> rivals_of(const work& one);

}  // namespace pleat::bench
