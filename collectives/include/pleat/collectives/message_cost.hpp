// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/probe.hpp>

namespace pleat {

/// Cost of a message from one virtual processor to another: `start` + `per_byte` · bytes.
///
/// The defaults were measured by `pleat probe` between two cores that share a cache;
/// `message_cost_of` converts a probe of the actual machine.
struct message_cost {
  double start = 1.3e-7;      ///< β, seconds
  double per_byte = 2.4e-11;  ///< τ, seconds
};

/// Converts the probed costs of one level, whose messages have 8 bytes.
[[nodiscard]] inline message_cost message_cost_of(const level_costs& level) noexcept {
  return {level.l.value, level.g.value / 8};
}

}  // namespace pleat
