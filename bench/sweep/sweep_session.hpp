// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sweep_arguments.hpp"

namespace pleat::bench {

/// Runs a sweep, from its arguments to its files. `given`: the names of the options that were
/// given; `resume`: as place_of_journal takes it, or empty.
///
/// Throws: pleat::usage_error for arguments that make no sense, before anything is measured;
/// finished if the sweep was interrupted or a case failed, all there is to say having been said.
void sweep_session(sweep_arguments chosen, const std::vector<std::string>& given,
                   const std::string& resume);

}  // namespace pleat::bench
