// SPDX-License-Identifier: Apache-2.0
#include "processes/quiescence.hpp"

#include <utility>

namespace pleat::detail {

bool quiescence::asks() noexcept {
  if (asked_) return false;
  for (std::size_t process = 0; process < idle_.size(); ++process) {
    if (!idle_[process] && !ended_[process]) {
      again_ = false;
      return false;
    }
  }
  ++question_;
  asked_ = true;
  answers_ = 0;
  all_idle_ = true;
  sent_ = received_ = 0;
  return true;
}

bool quiescence::answered(std::size_t process, std::uint64_t question, bool idle,
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

}  // namespace pleat::detail
