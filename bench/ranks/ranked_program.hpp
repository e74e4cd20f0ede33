// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <pleat/runtime/machine.hpp>

#include "rank_group.hpp"
#include "sweep/sweep_case.hpp"
#include "tool/command_line.hpp"

namespace pleat::bench {

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
