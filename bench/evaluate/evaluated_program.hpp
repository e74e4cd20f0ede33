// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/routing.hpp>

#include "pleat_problems.hpp"

namespace pleat::bench {

/// One run of a program on its machine of the model.
struct evaluation_request {
  std::size_t n = 0;
  std::size_t vps = 0;     ///< virtual processors; 0: n
  std::size_t kappa = 2;   ///< of broadcast
  std::size_t words = 1;   ///< of 8 bytes, that a VP has, or one part of it
  std::size_t blocks = 1;  ///< these three as in collective_options
  unsigned radix = 2;
  unsigned ports = 1;
  std::uint64_t seed = 1;                           ///< of the input, random
  bool dummies = false;                             ///< count dummy messages too
  std::size_t processors = 0;                       ///< see pleat::tracing
  pleat::routing routing = pleat::routing::direct;  ///< dummies: direct only
  bool messages = false;                            ///< keep them, see pleat::folded

  [[nodiscard]] std::size_t virtual_processors() const noexcept { return vps == 0 ? n : vps; }
};

/// A program that `pleat evaluate` knows.
struct evaluated_program {
  std::string_view name;
  std::string_view description;
  std::string_view sizes;  ///< which n it accepts, in words
  bool (*accepts)(std::size_t n);
  bool takes_kappa = false;
  bool takes_vps = false;    ///< else it has n virtual processors
  bool takes_words = false;  ///< the messages of its bound are then those of one word
  bool takes_blocks = false;
  bool takes_radix = false;
  bool takes_ports = false;

  /// Runs it once and verifies the result. Requires accepts(n).
  /// Throws: pleat::error if the result is wrong; what the run throws.
  cost_trace (*run)(const evaluation_request& request);

  std::string_view bound;  ///< the formula of the lower bound
  double (*lower_bound)(std::size_t n, std::size_t p, double sigma);
};

// evaluate_PROBLEM.cpp of each problem
#define PLEAT_DECLARED(problem) std::span<const evaluated_program> problem##_evaluations();
PLEAT_EVALUATE_PROBLEMS(PLEAT_DECLARED)
#undef PLEAT_DECLARED

[[nodiscard]] const std::vector<evaluated_program>& evaluated_programs();

/// Says on stderr what `runs` runs of a large size take, by two runs of small ones.
/// Throws: pleat::environment_error if this machine has not as much memory.
void announce_runs(const evaluated_program& program, std::size_t n, unsigned runs);

/// Bytes of memory for a message of a run that keeps them, at most: the log grows by doubling, is
/// then ordered, and what crosses processors is copied once.
inline constexpr double bytes_of_kept_message = 64;

/// Throws: pleat::environment_error naming `option` if this machine has not so many bytes for
/// `what`.
void require_memory(double bytes, std::string_view option, const std::string& what);

/// `sort, fft, …`, those of all problems: for errors and help.
[[nodiscard]] std::string evaluated_program_names();

/// Throws: pleat::usage_error that names the known ones.
[[nodiscard]] const evaluated_program& find_evaluated_program(std::string_view name);

}  // namespace pleat::bench
