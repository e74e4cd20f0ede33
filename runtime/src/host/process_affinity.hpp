// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/binding.hpp"

namespace pleat::detail {

/// The PUs this process may use by its affinity, which is not what one of its threads may use: an
/// application, or its OpenMP, binds threads one by one. It is what the main thread had when this
/// library was loaded; where OpenMP had bound that thread to one of its places by then, it is all
/// of these places. Throws: environment_error.
[[nodiscard]] PLEAT_API affinity process_affinity();

}  // namespace pleat::detail
