// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pleat::bench {

/// The other side of run_sweep: measures Pleat on the case of a request, or counts what it costs in
/// the model, and answers on standard output (case_record.hpp has the events).
/// Returns: the exit code. Throws: pleat::usage_error for what is no request.
int measure_case(const std::string& request);

}  // namespace pleat::bench
