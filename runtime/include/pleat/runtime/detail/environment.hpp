// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/wait_policy.hpp>

namespace pleat::detail {

/// What the PLEAT_* variables say, each read when it is needed: where an argument says it, a
/// variable is not looked at. All throw usage_error that names the variable.
namespace environment {

[[nodiscard]] std::optional<unsigned> processors();      // PLEAT_NUM_PROCESSORS
[[nodiscard]] std::optional<placement_request> place();  // PLEAT_PLACE
[[nodiscard]] std::optional<wait_policy> wait();         // PLEAT_WAIT
[[nodiscard]] std::optional<memory_policy> memory();     // PLEAT_MEMORY
[[nodiscard]] bool show_binding();                       // PLEAT_SHOW_BINDING

}  // namespace environment

}  // namespace pleat::detail
