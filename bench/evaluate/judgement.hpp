// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluated_program.hpp"

// Numbers that text and JSON say of an evaluation, and whether the theorem of optimality holds.
namespace pleat::bench {

[[nodiscard]] constexpr std::size_t processors(unsigned level) { return std::size_t{1} << level; }

/// Returns the level of the largest folding: M(2^j), 2^j ≤ v.
[[nodiscard]] unsigned most_levels(const cost_trace& costs);
/// Returns that number, or the lower one to which the model can be predicted.
[[nodiscard]] unsigned predicted_levels(const evaluation& of, const model_family& model);

/// Returns the shortest text that means this number: 16, 0.5, 1e+20.
[[nodiscard]] std::string exact(double value);
/// Returns significant digits, since small shares matter: 0.00195.
[[nodiscard]] std::string share_text(double value);

[[nodiscard]] double lower_bound(const evaluation& of, std::size_t p, double sigma);

/// Returns the options of the program that were asked for, or are its own, with their values.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> parameters(const evaluation& of);
/// Returns the name of its trees; empty of the circulant graph and of programs without a schedule.
[[nodiscard]] std::string trees_of(const evaluation& of);
[[nodiscard]] bool routed(const evaluation& of);

/// Largest H over its bound, among the M(2^k, σ) on which the theorem wants a program to be
/// optimal. The reciprocal is its β, 1 at most.
struct worst_ratio {
  double ratio = 1;
  unsigned k = 0;  // 0: H is nowhere above the bound
  double sigma = 0;
};

[[nodiscard]] worst_ratio worst_on(const evaluation& of, const machine_model& machine);

/// Largest H over its bound that counts as optimal. The bounds omit constants, and optimal up to
/// a constant cannot be measured at one n; of the programs that are proved optimal, none exceeds 8.
inline constexpr double optimal_up_to = 16;

/// Names the first of the theorem's conditions that does not hold on 2^level processors of a
/// family.
[[nodiscard]] std::optional<std::string> violation(const evaluation& of, const model_family& model,
                                                   unsigned level);

/// Returns the share of the best time that the theorem promises of an (α, p)-wise, β-optimal
/// program.
[[nodiscard]] double promised(double alpha, double beta);

}  // namespace pleat::bench
