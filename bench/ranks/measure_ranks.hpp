// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rank_group.hpp"

namespace pleat::bench {

/// Answers the request of a sweep to this process and the others of its group (case_request.hpp):
/// one that has ranks. The first rank reads and answers; the others do with it what it does.
/// Collective. A case that cannot be measured is answered as such; the exit status is 0 then too,
/// so that the launcher says nothing. Throws: pleat::usage_error for what is no request.
void measure_ranks(const rank_group& all, const std::string& request);

}  // namespace pleat::bench
