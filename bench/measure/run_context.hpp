// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// Context in which a result can be understood later: when, built by what from which commit, on
/// which machine, in which state (machine_state), on which of its processors; machine_watch adds
/// what happened there meanwhile. `asked`: the options that the machine
/// was made with.
///
/// Runs an empty program to read back where the workers really are.
[[nodiscard]] nlohmann::ordered_json run_context(machine& on, const machine_options& asked);

}  // namespace pleat::bench
