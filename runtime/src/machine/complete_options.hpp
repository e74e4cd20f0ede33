// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine_options.hpp>

namespace pleat::detail {

/// Sets every option that is not given: to its environment variable, or the default.
/// Throws: usage_error for invalid options and variables.
[[nodiscard]] machine_options complete(machine_options options, bool over_ranks);

}  // namespace pleat::detail
