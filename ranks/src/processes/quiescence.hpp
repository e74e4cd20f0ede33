// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleat::detail {

/// Finds out, on process 0, that no process can ever continue by itself, and no message between two
/// processes is in transit.
///
/// A process reports when all of its workers are idle. When all processes have reported this or
/// have ended, process 0 asks each of them twice, the second time after all have answered the first
/// question: whether it is still idle, and how many messages it has sent and received. If all are
/// idle both times, as many messages were received as sent, and the numbers are the same both
/// times, no process was active in between.
///
/// Source: Mattern, "Algorithms for distributed termination detection", Distributed Computing 2
/// (1987), the four counter method.
class quiescence {
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
    return std::ranges::find(ended_, false) == ended_.end();
  }

  /// Tells whether the caller must now ask all processes question().
  [[nodiscard]] bool asks() noexcept {
    if (asked_) return false;
    for (std::size_t process = 0; process < idle_.size(); ++process) {
      if (!idle_[process] && !ended_[process]) return again_ = false;
    }
    ++question_;
    asked_ = true;
    answers_ = 0;
    all_idle_ = true;
    sent_ = received_ = 0;
    return true;
  }
  [[nodiscard]] std::uint64_t question() const noexcept { return question_; }
  /// Takes the answer of a process. Returns true if no process can ever continue.
  [[nodiscard]] bool answered(std::size_t process, std::uint64_t question, bool idle,
                              std::uint64_t sent, std::uint64_t received) {
    if (!asked_ || question != question_) return false;
    if (!idle) idle_[process] = all_idle_ = false;  // it reports when it is idle again
    sent_ += sent;
    received_ += received;
    if (++answers_ < idle_.size()) return false;
    asked_ = false;
    const bool nothing_moves = all_idle_ && sent_ == received_;
    const bool twice = nothing_moves && again_ && sent_ == sent_before_;
    again_ = nothing_moves;
    sent_before_ = sent_;
    return twice;
  }

 private:
  std::vector<bool> idle_, ended_;  // [process]
  std::uint64_t question_ = 0;
  bool asked_ = false;  // question asked, and not all have answered
  bool again_ = false;  // second question: at the first all were idle and nothing was in transit
  std::size_t answers_ = 0;
  bool all_idle_ = true;
  std::uint64_t sent_ = 0, received_ = 0;
  std::uint64_t sent_before_ = 0;
};

}  // namespace pleat::detail
