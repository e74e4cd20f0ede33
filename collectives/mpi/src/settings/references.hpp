// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pleat::preloaded {

/// Tells whether the program, or a library that it has loaded, refers to a non-blocking or
/// persistent collective call by its name in C or Fortran. The MPI's own libraries, and this one,
/// do not count.
[[nodiscard]] bool refers_to_non_blocking_calls();

}  // namespace pleat::preloaded
