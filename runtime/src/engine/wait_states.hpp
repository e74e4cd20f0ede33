// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace pleat::detail {

struct run_state;

/// States of the virtual processors of a run when none of them can continue.
struct wait_states {
  static constexpr std::size_t most_named = 6;

  std::vector<std::uint8_t> states;      // by rank: vp_state::waits_at; nowhere if it has ended
  std::vector<std::string> at_channels;  // texts for the first VPs that wait at channels
  std::size_t waiting_at_channels = 0;   // number of all VPs that wait at channels
  std::exception_ptr left_over;          // set if all have ended, and something was never received

  /// Appends the states of another process, whose ranks follow.
  void append(const wait_states& behind);
};

/// Takes the wait states of this process. Requires that all workers are idle and remain idle.
[[nodiscard]] wait_states take_wait_states(const run_state& run);

/// Makes the error that says why no VP continues: the left-over error, a label_mismatch if there is
/// one, else a deadlock. `all`: states of all processes.
[[nodiscard]] std::exception_ptr diagnose(const wait_states& all);

}  // namespace pleat::detail
