// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace pleat::detail {

/// Round of the exclusive scan of ranks by 123-doubling, of which this is the first. In it rank r
/// gets from rank r − s a sum that ends where its own begins:
///
///     round       0  1  2  3   4  …
///     s           1  2  3  6  12  …  3·2^(k − 2)
///     then known  1  3  6 12  24  …  inputs before rank r
///
/// A rank sends its sum with its own input in round 1 and without it in all others, so that most
/// rounds cost one use of the operator. In round 0 it sends its input, and so does rank 0 in round
/// 1. Source: Jesper Larsson Träff, 2025, doi:10.48550/arXiv.2507.04785 (123-doubling).
class exclusive_round {
 public:
  /// Requires: rank < ranks.
  exclusive_round(std::uint32_t rank, std::uint32_t ranks) noexcept : rank_(rank), ranks_(ranks) {}

  /// Tells whether each rank's sum is complete before this round.
  [[nodiscard]] bool is_past_last() const noexcept { return known_ >= ranks_ - 1; }
  void next() noexcept {
    known_ += skip_;
    skip_ = number_++ == 0 ? 2 : known_;
  }

  /// First rank whose input is in the sum behind this round.
  [[nodiscard]] std::uint32_t first_known() const noexcept {
    return rank_ - std::min(rank_, known_ + skip_);
  }
  /// Tells whether what comes is the sum, not added to it.
  [[nodiscard]] bool is_first() const noexcept { return number_ == 0; }
  /// Tells whether the rank's input is added to what it sends.
  [[nodiscard]] bool adds_own() const noexcept { return number_ == 1 && rank_ != 0; }
  /// Tells whether the rank's input alone is sent.
  [[nodiscard]] bool sends_own() const noexcept { return number_ == 0 || rank_ == 0; }

  [[nodiscard]] bool sends() const noexcept {
    return skip_ < ranks_ - rank_ && (rank_ != 0 || number_ < 2);
  }
  [[nodiscard]] bool receives() const noexcept { return rank_ >= skip_ + (number_ < 2 ? 0 : 1); }
  /// Ranks to which it sends and from which it receives. Requires: it does.
  [[nodiscard]] std::uint32_t to() const noexcept { return rank_ + skip_; }
  [[nodiscard]] std::uint32_t from() const noexcept { return rank_ - skip_; }

 private:
  std::uint32_t rank_, ranks_;
  std::uint32_t number_ = 0;
  std::uint32_t known_ = 0;  // inputs before the rank that are in its sum
  std::uint32_t skip_ = 1;
};

}  // namespace pleat::detail
