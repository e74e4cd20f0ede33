// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mpi.h>
#include <string>

#include "measure/clock.hpp"

namespace pleat::bench {

struct outcome;

/// The processes of a communicator, as far as they must agree on what they do next. Functions are
/// collective: all ranks call them, in the same order, and either all return or all throw.
class rank_group {
 public:
  explicit rank_group(MPI_Comm processes);

  [[nodiscard]] MPI_Comm processes() const { return processes_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] bool is_first() const { return rank_ == 0; }

  /// Calls `act` on every rank, which concerns that rank alone. Throws: pleat::usage_error or
  /// pleat::error with the words of the lowest rank that threw, behind its number if others did
  /// not.
  void each(const std::function<void()>& act) const;
  /// Rank 0 alone does. Throws: likewise.
  void first(const std::function<void()>& act) const;

  /// The text that this rank gives. Cost: of some kilobytes at most.
  [[nodiscard]] std::string text_of(int rank, std::string text) const;
  /// The greatest of all numbers.
  [[nodiscard]] unsigned long long greatest(unsigned long long number) const;

 private:
  [[noreturn]] void end_as(int loser, const outcome& here, const std::string& before) const;

  MPI_Comm processes_;
  int rank_ = 0;
  int ranks_ = 1;
};

/// Waits until MPI has done what was asked, and lets others have the processor meanwhile: where
/// there are more ranks than processors, one that spins takes the time of one that works.
void wait_yielding(MPI_Request& asked);

/// Clock for what all ranks take together. Collective.
class rank_clock {
 public:
  explicit rank_clock(const rank_group& all) : all_(all) {}

  /// Starts when all ranks have called it.
  void start();
  /// Seconds since then, of the rank that takes longest: the same on all.
  [[nodiscard]] double stop() const;

 private:
  const rank_group& all_;
  benchmark_clock::time_point start_;
};

}  // namespace pleat::bench
