// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine_options.hpp>

namespace pleat::detail {

/// Gives every option that was left out a value: that of its environment variable, or the default.
/// Throws: usage_error for options, and for variables, that make no sense.
[[nodiscard]] machine_options complete(machine_options options, bool over_ranks);

}  // namespace pleat::detail
