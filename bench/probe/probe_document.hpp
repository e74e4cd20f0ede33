// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/probe.hpp>

#include "tool/machine_arguments.hpp"

namespace pleat::bench {

/// pleat::probe, announced on stderr, with a warning if the machine was too slow to take all
/// samples.
[[nodiscard]] std::vector<level_costs> announced_probe(const machine_options& on,
                                                       const probe_options& options);

/// Measures the machine the arguments choose: `{version, context, machines, rounds, levels[]}`, the
/// levels as probe_json has them. Says on stderr what distorts it.
[[nodiscard]] nlohmann::ordered_json measured_probe(const machine_arguments& chosen,
                                                    const probe_options& options);

/// The document kept for these processors; if there is none it is measured and kept. `exactly`:
/// also if it was measured with other options.
[[nodiscard]] nlohmann::ordered_json kept_probe(const machine_arguments& chosen,
                                                const probe_options& options, bool exactly = false);

}  // namespace pleat::bench
