// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine.hpp>

/// What a machine over all ranks is made of, with so many processors in each. The tests know no MPI
/// and are compiled once for all of them.
pleat::rank_options over_all_ranks(unsigned processors);
