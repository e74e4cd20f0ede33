// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleat::detail {

/// Finds out, on process 0, that no process will ever go on by itself, and no message between two
/// of them is on its way.
///
/// A process on which all workers are idle says so. When all have, or have ended, each is asked
/// twice, the second time after all have answered the first: whether it is still idle, and how many
/// messages it has sent and received. If all are idle both times, as much was received as sent, and
/// none more the second time, nobody was active in between.
///
/// Source: Mattern, "Algorithms for distributed termination detection", Distributed Computing 2
/// (1987), the four counter method.
class PLEAT_API quiescence {
 public:
  /// Begins a run of that many processes.
  void start(std::size_t processes) {
    idle_.assign(processes, false);
    ended_.assign(processes, false);
    ++question_;
    asked_ = false;
  }
  /// Discards the answers so far.
  void ask_anew() noexcept {
    ++question_;
    asked_ = again_ = false;
  }
  void is_idle(std::size_t process) { idle_[process] = true; }
  void has_ended(std::size_t process) { ended_[process] = true; }
  [[nodiscard]] bool all_ended() const noexcept {
    for (const bool one : ended_) {
      if (!one) return false;
    }
    return true;
  }

  /// Tells whether it is time to ask all processes question(), which the caller then does.
  [[nodiscard]] bool asks() noexcept;
  [[nodiscard]] std::uint64_t question() const noexcept { return question_; }
  /// Takes the answer of a process. Returns true if no process will ever go on.
  [[nodiscard]] bool answered(std::size_t process, std::uint64_t question, bool idle,
                              std::uint64_t sent, std::uint64_t received);

 private:
  std::vector<bool> idle_, ended_;  // [process]
  std::uint64_t question_ = 0;
  bool asked_ = false;  // and not all have answered
  bool again_ = false;  // the first time all were idle and nothing was on its way
  std::size_t answers_ = 0;
  bool all_idle_ = true;
  std::uint64_t sent_ = 0, received_ = 0;
  std::uint64_t sent_before_ = 0;
};

}  // namespace pleat::detail
