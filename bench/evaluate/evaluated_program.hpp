// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/collectives/detail/tree_rounds.hpp>
#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/machine_model.hpp>
#include <pleat/runtime/routing.hpp>

#include "pleat_problems.hpp"

namespace pleat::bench {

/// One run of a program on its machine of the model.
struct evaluation_request {
  std::size_t n = 0;
  std::size_t vps = 0;     ///< virtual processors; 0: n
  std::size_t kappa = 2;   ///< of broadcast
  std::size_t words = 1;   ///< 8-byte words in a VP's data, or in each part of it
  std::size_t blocks = 1;  ///< these four: see collective_options
  detail::schedule_form form = {};
  unsigned radix = 2;
  unsigned ports = 1;
  std::uint64_t seed = 1;                           ///< of the input, random
  bool dummies = false;                             ///< count dummy messages too
  std::size_t processors = 0;                       ///< see pleat::tracing
  pleat::routing routing = pleat::routing::direct;  ///< dummies: direct only
  bool messages = false;                            ///< keep all messages, see pleat::folded

  [[nodiscard]] std::size_t virtual_processors() const noexcept { return vps == 0 ? n : vps; }
};

/// Sizes that a program accepts, in words and as a test.
struct accepted_sizes {
  std::string_view text;
  bool (*accepts)(std::size_t n);
};

/// A program that `pleat evaluate` knows.
struct evaluated_program {
  std::string_view name;
  std::string_view description;
  accepted_sizes sizes;

  /// Runs it once and verifies the result. Requires sizes.accepts(n).
  /// Throws: pleat::error if the result is wrong; what the run throws.
  cost_trace (*run)(const evaluation_request& request);

  std::string_view bound;  ///< the formula of the lower bound
  double (*lower_bound)(std::size_t n, std::size_t p, double sigma);

  bool takes_kappa = false;
  bool takes_vps = false;     ///< else it has n virtual processors
  bool takes_words = false;   ///< its bound is then that for one word
  bool takes_blocks = false;  ///< and a schedule
  bool takes_radix = false;
  bool takes_ports = false;

  /// Copies it as a program that takes an option.
  [[nodiscard]] constexpr evaluated_program with(bool evaluated_program::*option) const {
    evaluated_program changed = *this;
    changed.*option = true;
    return changed;
  }
};

// evaluate_PROBLEM.cpp of each problem
#define PLEAT_DECLARED(problem) std::span<const evaluated_program> problem##_evaluations();
PLEAT_EVALUATE_PROBLEMS(PLEAT_DECLARED)
#undef PLEAT_DECLARED

[[nodiscard]] const std::vector<evaluated_program>& evaluated_programs();

/// Estimates how long `runs` runs of a large size take, from runs of small sizes, and prints it to
/// stderr if it is long. Throws: pleat::environment_error if this machine has too little memory.
void announce_runs(const evaluated_program& program, std::size_t n, unsigned runs);

/// Upper bound on the bytes per message in a run that keeps messages: the log grows by doubling and
/// is then sorted, and messages between processors are copied once.
inline constexpr double bytes_of_kept_message = 64;

/// Throws: pleat::environment_error that names `option` if fewer than `bytes` bytes of memory are
/// available for `what`.
void require_memory(double bytes, std::string_view option, const std::string& what);

/// Names of all programs, `sort, fft, …`, for errors and help.
[[nodiscard]] std::string evaluated_program_names();

/// Throws: pleat::usage_error if the program is unknown or cannot be counted.
[[nodiscard]] const evaluated_program& find_evaluated_program(std::string_view name);

/// Loss of a broadcast tree whose degree is chosen before σ is known.
struct tree_gap {
  double least_sigma, most_sigma;
  double gap = 0;    ///< largest ratio of its H to that of the best degree, on M(2^⌊log2 v⌋)
  double sigma = 0;  ///< σ of that ratio
  std::size_t best = 0;  ///< the best degree for that σ
  double lowest = 0;     ///< lower bound on any σ-oblivious program's gap, up to a constant
};

/// Number of trees that gap_of counts: degrees 2, 4, 8, … until the root sends to all at once.
[[nodiscard]] std::size_t gap_runs(std::size_t n);

/// Counts trees of these degrees, and compares that of `request` with the best of them. For each
/// degree H is a linear function of σ, and the ratio of two linear functions is monotonic. So the
/// largest ratio is at the smallest or at the largest σ.
///
/// Calls done(i) when i trees are counted. Requires: a program that takes κ; direct routing.
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.5, Theorem 8 (GAP).
[[nodiscard]] tree_gap gap_of(const evaluated_program& program, evaluation_request request,
                              double least_sigma, double most_sigma,
                              const std::function<void(std::size_t)>& done);

/// A family of machines to predict communication times for.
struct model_family {
  std::string name;
  unsigned most_levels;  ///< its machines have 2 … 2^most_levels processors
  std::function<machine_model(unsigned levels)> machine;
  bool seconds = false;  ///< its times are seconds; else they have no unit
};

/// Networks of pleat/runtime/machine_model.hpp, of up to 2^most_predicted_levels processors.
[[nodiscard]] const std::vector<model_family>& network_families();

/// Family of one machine: the machine itself and, for fewer processors, its clusters.
/// `seconds`: its costs are in seconds.
[[nodiscard]] model_family family_of(const machine_model& whole, bool seconds = false);

/// Level of a machine that --levels describes, with the traffic that crosses it.
struct evaluated_level {
  std::string name;
  machine_level is;
  level_traffic costs;
};

/// Facts to report of one program at one size.
struct evaluation {
  const evaluated_program* program;
  evaluation_request request;
  cost_trace costs;                    ///< as requested
  cost_trace plain, dummied;           ///< without dummies, and with them
  std::vector<folded_costs> foldings;  ///< on the numbers of processors asked for, or 2, 4, …
  bool any_numbers = false;            ///< numbers of processors were asked for
  std::optional<tree_gap> gap;         ///< if it is asked for
  /// Difference between the traces of several inputs of that size; empty if there is none.
  std::optional<std::string> difference;
  std::vector<double> sigmas;
  std::vector<model_family> models;
  std::vector<std::vector<evaluated_level>> machines;  ///< [--levels]: from the outermost on
};

/// log2 of the most processors that communication times are predicted for.
inline constexpr unsigned most_predicted_levels = 16;

/// Tables for a terminal.
[[nodiscard]] std::string evaluation_text(const evaluation& of);

/// `program, n, v, labels[]{label, supersteps}, foldings[]{p, S[], F[], H, lower_bound, ratio},
/// folded[]{p, supersteps, degree, H, lower_bound, ratio} if numbers of processors were asked for,
/// machines[][]{level, size, place, sends, messages, bytes, supersteps, degree} if levels were,
/// wiseness, fullness, models[]{name, violated_condition, times[]{p, D}}` and more; H, lower_bound
/// and ratio are objects from σ to value. Infinite and undefined values are null.
[[nodiscard]] nlohmann::ordered_json evaluation_json(const evaluation& of);

}  // namespace pleat::bench
