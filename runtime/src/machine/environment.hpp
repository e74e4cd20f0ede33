// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <pleat/runtime/machine_options.hpp>

namespace pleat::detail {

/// Values of the PLEAT_* variables. Each is read only when it is needed: if an argument is given,
/// its variable is not read. Throw: usage_error that names the variable.
namespace environment {

[[nodiscard]] PLEAT_API std::optional<unsigned> processors();    // PLEAT_NUM_PROCESSORS
[[nodiscard]] PLEAT_API std::optional<machine_options> place();  // PLEAT_PLACE: place, workers
[[nodiscard]] PLEAT_API std::optional<wait_policy> wait();       // PLEAT_WAIT
[[nodiscard]] PLEAT_API std::optional<memory_policy> memory();   // PLEAT_MEMORY
[[nodiscard]] PLEAT_API bool pin();                              // PLEAT_PIN
[[nodiscard]] bool show_binding();                               // PLEAT_SHOW_BINDING

}  // namespace environment

/// Sets every option that is not given: to its environment variable, or the default.
/// Throws: usage_error for invalid options and variables.
[[nodiscard]] machine_options complete(machine_options options, bool over_ranks);

}  // namespace pleat::detail
