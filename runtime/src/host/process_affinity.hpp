// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/binding.hpp"

namespace pleat::detail {

/// Returns the PUs that this process may use by its affinity. A single thread may have fewer: an
/// application, or its OpenMP, binds threads one by one. The result is the affinity of the main
/// thread when this library was loaded; if OpenMP had bound that thread to one of its places
/// before, it is the union of the places. Throws: environment_error.
[[nodiscard]] affinity process_affinity();

}  // namespace pleat::detail
