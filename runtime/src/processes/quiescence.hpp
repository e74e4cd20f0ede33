// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleat::detail {

/// Finds out, on rank 0, that no rank will ever go on by itself, and no message between two of them
/// is on its way.
///
/// A rank on which all workers are idle says so. When all have, or have ended, each is asked
/// twice, the second time after all have answered the first: whether it is still idle, and how many
/// messages it has sent and received. If all are idle both times, as much was received as sent, and
/// none more the second time, nobody was active in between.
///
/// Source: Mattern, "Algorithms for distributed termination detection", Distributed Computing 2
/// (1987), the four counter method.
class PLEAT_API quiescence {
 public:
  /// A run of so many ranks begins.
  void start(std::size_t ranks) {
    idle_.assign(ranks, false);
    ended_.assign(ranks, false);
    ++question_;
    asked_ = false;
  }
  /// What was answered so far says nothing any more.
  void ask_anew() noexcept {
    ++question_;
    asked_ = again_ = false;
  }
  void is_idle(std::size_t rank) { idle_[rank] = true; }
  void has_ended(std::size_t rank) { ended_[rank] = true; }
  [[nodiscard]] bool all_ended() const noexcept {
    for (const bool one : ended_) {
      if (!one) return false;
    }
    return true;
  }

  /// Whether it is time to ask all ranks: then they are asked this.
  [[nodiscard]] bool asks() noexcept;
  [[nodiscard]] std::uint64_t question() const noexcept { return question_; }
  /// What a rank says of it. Returns true if nobody will ever go on.
  [[nodiscard]] bool answered(std::size_t rank, std::uint64_t question, bool idle,
                              std::uint64_t sent, std::uint64_t received);

 private:
  std::vector<bool> idle_, ended_;  // [rank]
  std::uint64_t question_ = 0;
  bool asked_ = false;  // and not all have answered
  bool again_ = false;  // the first time all were idle and nothing was on its way
  std::size_t answers_ = 0;
  bool all_idle_ = true;
  std::uint64_t sent_ = 0, received_ = 0;
  std::uint64_t sent_before_ = 0;
};

}  // namespace pleat::detail
