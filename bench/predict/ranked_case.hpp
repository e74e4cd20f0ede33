// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rank_costs.hpp"
#include "sweep/sweep_case.hpp"

namespace pleat::bench {

/// The work of a case of a sweep.
[[nodiscard]] ranked_work work_of(const sweep_case& at);

}  // namespace pleat::bench
