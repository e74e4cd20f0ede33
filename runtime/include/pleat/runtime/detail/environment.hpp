// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/wait_policy.hpp>

namespace pleat::detail {

/// What the PLEAT_* variables say.
struct environment {
  std::optional<unsigned> processors;      // PLEAT_NUM_PROCESSORS
  std::optional<placement_request> place;  // PLEAT_PLACE
  std::optional<wait_policy> wait;         // PLEAT_WAIT
  bool show_binding = false;               // PLEAT_SHOW_BINDING

  /// Throws usage_error that names the variable.
  [[nodiscard]] static environment read_all();
};

}  // namespace pleat::detail
