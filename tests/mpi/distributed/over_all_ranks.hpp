// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine.hpp>

/// Options of a machine over all ranks, with that many processors in each. The tests know no MPI
/// and are compiled once for all of them.
pleat::rank_options over_all_ranks(unsigned processors);
