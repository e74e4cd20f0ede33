// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mpi.h>
#include <string>

#include <pleat/runtime/machine.hpp>

#include "measure/clock.hpp"
#include "sweep/sweep_case.hpp"
#include "tool/command_line.hpp"

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

/// A program on data that no rank holds alone, at one point of a sweep: what one rank has of it.
/// All functions are collective, and what they throw is thrown on all ranks.
class ranked_program {
 public:
  ranked_program(const rank_group& all, machine& on) : all_(all), on_(on), clock_(all) {}
  ranked_program(const ranked_program&) = delete;
  ranked_program& operator=(const ranked_program&) = delete;
  virtual ~ranked_program() = default;

  /// Fresh data, one run: the seconds of the run alone, of the rank that takes longest.
  virtual double sample() = 0;
  /// A run, of whose result each rank checks what it has. Throws: pleat::error if it is wrong.
  virtual void verify() = 0;

 protected:
  const rank_group& all_;
  machine& on_;
  rank_clock clock_;
};

// ranked_PROBLEM.cpp
using prepared_ranks = std::unique_ptr<ranked_program>;
[[nodiscard]] prepared_ranks ranked_sort(const rank_group& all, machine& on, const sweep_case& at);
[[nodiscard]] prepared_ranks ranked_fft(const rank_group& all, machine& on, const sweep_case& at);
[[nodiscard]] prepared_ranks ranked_matmul(const rank_group& all, machine& on,
                                           const sweep_case& at);
[[nodiscard]] prepared_ranks ranked_stencil(const rank_group& all, machine& on,
                                            const sweep_case& at);

/// Function for all ranks that the words on the command line ask for.
using chosen_run = std::function<void(const rank_group&)>;

/// Adds the command `tune`. What it does is left in `chosen`. `tool` is the name of the program.
void add_tune_collectives(tool_command& mpi, const std::string& tool, chosen_run& chosen);

}  // namespace pleat::bench
