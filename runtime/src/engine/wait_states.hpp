// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace pleat::detail {

struct run_state;

/// Waits of virtual processors when none of them will go on.
struct wait_states {
  static constexpr std::size_t most_named = 6;

  std::vector<std::uint8_t> states;      // by rank, vp_state::waits_at; nowhere if it has ended
  std::vector<std::string> at_channels;  // the first of those that wait there, in words
  std::size_t waiting_at_channels = 0;   // all of them
  std::exception_ptr left_over;          // all have ended, and something was never received

  /// Appends those of another process, which follow in rank.
  void append(const wait_states& behind);
};

/// Takes the wait states of this process. Requires that all workers are idle and stay so.
[[nodiscard]] wait_states take_wait_states(const run_state& run);

/// Error that says why no VP goes on: what was left over, a label_mismatch if there is one, else a
/// deadlock. `all`: of all processes.
[[nodiscard]] std::exception_ptr diagnose(const wait_states& all);

}  // namespace pleat::detail
