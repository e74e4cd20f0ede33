// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "measured_machine.hpp"

namespace pleat::bench {

/// The host as hwloc's XML (version 2), with what was measured: `lstopo --memattrs -i FILE` and
/// every program that uses hwloc read it.
///
/// Memory attributes, from the PUs of a node to a node: `Bandwidth` (MiB/s), `Latency` (ns, idle
/// memory), both of reading, and `LoadedLatency` (ns), which is registered for it. Distances:
/// `PleatLineLatency` between PUs and, where every node has processors and memory,
/// `PleatNumaLatency` (ns) and `PleatNumaBandwidth` (MB/s) between nodes. hwloc keeps whole numbers
/// only. A matrix of distances that lacks a value is left out; so is that of a single object.
///
/// `synthetic`: a machine in hwloc's notation instead of the host.
/// Throws: environment_error if hwloc refuses.
[[nodiscard]] std::string matrix_xml(const measured_machine& measured,
                                     const std::string& synthetic = {});

}  // namespace pleat::bench
