// SPDX-License-Identifier: Apache-2.0
#include "judgement.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "schedule/messages.hpp"
#include "tool/printable.hpp"

namespace pleat::bench {

unsigned most_levels(const cost_trace& costs) {
  return static_cast<unsigned>(std::bit_width(costs.v())) - 1;
}
unsigned predicted_levels(const evaluation& of, const model_family& model) {
  return std::min({most_levels(of.costs), most_predicted_levels, model.most_levels});
}
std::string exact(double value) {
  std::array<char, 32> text{};
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  const auto end = whole ? std::to_chars(text.data(), text.data() + text.size(),
                                         static_cast<std::int64_t>(value))
                               .ptr
                         : std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string share_text(double value) {
  if (!std::isfinite(value)) return "unbounded";
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::general, 3)
                           .ptr};
}

double lower_bound(const evaluation& of, std::size_t p, double sigma) {
  const double bound = of.program->lower_bound(of.request.n, p, sigma);
  if (!of.program->takes_words) return bound;
  const double of_a_word = of.program->lower_bound(of.request.n, p, 0);
  return bound + static_cast<double>(of.request.words - 1) * of_a_word;
}

std::vector<std::pair<std::string, std::size_t>> parameters(const evaluation& of) {
  const evaluated_program& program = *of.program;
  std::vector<std::pair<std::string, std::size_t>> all;
  if (program.takes_words) all.emplace_back("words", of.request.words);
  if (program.takes_blocks) all.emplace_back("blocks", of.request.blocks);
  if (of.request.form.groups.size != 0) {
    all.emplace_back("group", of.request.form.groups.size);
    all.emplace_back("place", of.request.form.groups.place);
  }
  if (program.takes_radix) all.emplace_back("radix", of.request.radix);
  if (program.takes_ports) all.emplace_back("ports", of.request.ports);
  return all;
}

std::string trees_of(const evaluation& of) {
  const detail::schedule_form& form = of.request.form;
  return std::string(form.has_trees() ? schedule_names.at(static_cast<std::size_t>(form.along))
                                      : "");
}

bool routed(const evaluation& of) { return of.request.routing == routing::ascend_descend; }

namespace {

// Returns the costs that the theorem judges: without routing, which belongs to the machine.
const cost_trace& judged(const evaluation& of) { return routed(of) ? of.plain : of.costs; }

}  // namespace

// Tries the ends of the theorem's range of σ for M(2^k): the least and the largest l/g, times
// 2^(level − k). H/bound is largest at an end if the bound is linear in σ (all but broadcast's).
worst_ratio worst_on(const evaluation& of, const machine_model& machine) {
  const unsigned level = machine.levels();
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (unsigned i = 0; i < level; ++i) {
    least = std::min(least, machine.l[i] / machine.g[i]);
    most = std::max(most, machine.l[i] / machine.g[i]);
  }
  worst_ratio worst;
  for (unsigned k = 1; k <= level; ++k) {
    for (const double latency : {least, most}) {
      const double sigma = std::ldexp(latency, static_cast<int>(level - k));
      const double ratio = judged(of).H(k, sigma) / lower_bound(of, processors(k), sigma);
      if (ratio > worst.ratio) worst = {ratio, k, sigma};
    }
  }
  return worst;
}

std::optional<std::string> violation(const evaluation& of, const model_family& model,
                                     unsigned level) {
  if (of.difference) return "the program is not static";
  const machine_model machine = model.machine(level);
  if (auto broken = violated_condition(machine)) return broken;
  const worst_ratio worst = worst_on(of, machine);
  if (worst.ratio <= optimal_up_to) return std::nullopt;
  return "not optimal: H is " + readable_number(worst.ratio) + " times the bound on M(" +
         readable_count(processors(worst.k)) + ") for σ = " + share_text(worst.sigma) +
         ", and β = " + share_text(1 / worst.ratio) + "; up to " + exact(optimal_up_to) +
         " times counts as optimal";
}

double promised(double alpha, double beta) { return alpha * beta / (1 + alpha); }

}  // namespace pleat::bench
