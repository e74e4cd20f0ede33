// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine.hpp>

namespace pleat::detail {

/// The options with a value for everything that was left out: that of its environment variable, or
/// the default. Throws: usage_error for options, and for variables, that make no sense.
[[nodiscard]] machine_options complete(machine_options options);

}  // namespace pleat::detail
