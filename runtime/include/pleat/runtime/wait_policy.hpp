// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstdint>
#include <string_view>

namespace pleat {

/// Behaviour of a worker while it waits at a barrier or a channel.
enum class wait_policy : std::uint8_t {
  automatic,  ///< spin, then yield, then park; park at once if threads share PUs or a quota
  spin,       ///< never yield the processor: lowest latency, one busy core per worker
  yield,      ///< yield the processor to others from the start, never sleep
  park,       ///< sleep at once: no cycles wasted, some microseconds to wake
};

/// Returns the policy named "auto", "spin", "yield" or "park" (as in PLEAT_WAIT).
/// Throws: usage_error, which names the four.
[[nodiscard]] PLEAT_API wait_policy parse_wait_policy(std::string_view name);

}  // namespace pleat
