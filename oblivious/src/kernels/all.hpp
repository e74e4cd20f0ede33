// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/forced.hpp"

namespace pleat::detail::kernels {

/// Applies PLEAT_KERNELS, read by the first call in a process; the vectors are chosen accordingly.
/// Throws: usage_error that names the variable; the next call tries again. environment_error as
/// use_vectors().
const forced_kernels& apply_forced();

}  // namespace pleat::detail::kernels
