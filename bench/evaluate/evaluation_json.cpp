// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>

#include "judgement.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

json finite(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json balance_json(const cost_trace& costs) {
  const unsigned most = most_levels(costs);
  return {{"wiseness", finite(costs.wiseness(most))}, {"fullness", finite(costs.fullness(most))}};
}

// H, its bound and their ratio for each σ.
template <class H> json complexity_json(const evaluation& of, std::size_t p, const H& complexity) {
  json complexities = json::object(), bounds = json::object(), ratios = json::object();
  for (const double sigma : of.sigmas) {
    const double bound = lower_bound(of, p, sigma);
    complexities[exact(sigma)] = complexity(sigma);
    bounds[exact(sigma)] = bound;
    ratios[exact(sigma)] = finite(complexity(sigma) / bound);
  }
  return {{"H", complexities}, {"lower_bound", bounds}, {"ratio", ratios}};
}

json folding_json(const evaluation& of, unsigned level) {
  json supersteps = json::array(), degrees = json::array();
  for (unsigned label = 0; label < level; ++label) {
    supersteps.push_back(of.costs.S(label));
    degrees.push_back(of.costs.F(label, level));
  }
  json folding{{"p", processors(level)}, {"S", supersteps}, {"F", degrees}};
  folding.update(complexity_json(of, processors(level),
                                 [&](double sigma) { return of.costs.H(level, sigma); }));
  folding["wiseness"] = finite(of.costs.wiseness(level));
  folding["fullness"] = finite(of.costs.fullness(level));
  return folding;
}

json folded_json(const evaluation& of) {
  json all = json::array();
  for (const folded_costs& one : of.foldings) {
    all.push_back({{"p", one.processors}, {"supersteps", one.supersteps}, {"degree", one.degree}});
    all.back().update(
        complexity_json(of, one.processors, [&](double sigma) { return one.H(sigma); }));
  }
  return all;
}

json levels_json(const evaluation& of) {
  json machines = json::array();
  for (const auto& levels : of.machines) {
    json rows = json::array();
    for (const evaluated_level& one : levels)
      rows.push_back({{"level", one.name},
                      {"size", one.is.size},
                      {"place", one.is.place},
                      {"sends", one.costs.sends},
                      {"messages", one.costs.messages},
                      {"bytes", 8 * one.costs.messages},
                      {"supersteps", one.costs.supersteps},
                      {"degree", one.costs.degree}});
    machines.push_back(std::move(rows));
  }
  return machines;
}

json gap_json(const tree_gap& gap) {
  return {{"sigma", {gap.least_sigma, gap.most_sigma}},
          {"gap", gap.gap},
          {"at_sigma", gap.sigma},
          {"best_kappa", gap.best},
          {"lower_bound", gap.lowest}};
}

json model_json(const evaluation& of, const model_family& model) {
  json times = json::array();
  for (unsigned level = 1; level <= predicted_levels(of, model); ++level) {
    const machine_model machine = model.machine(level);
    times.push_back({{"p", processors(level)}, {"D", of.costs.D(level, machine.g, machine.l)}});
    if (routed(of)) times.back()["direct_D"] = of.plain.D(level, machine.g, machine.l);
  }
  const unsigned level = predicted_levels(of, model);
  const machine_model largest = model.machine(level);
  const auto broken = violation(of, model, level);
  const double beta = 1 / worst_on(of, largest).ratio;
  return {{"name", model.name},
          {"g", largest.g},
          {"l", largest.l},
          {"beta", beta},
          {"promised_share",
           broken || routed(of) ? json(nullptr) : json(promised(of.costs.wiseness(level), beta))},
          {"violated_condition", broken ? json(*broken) : json(nullptr)},
          {"times", times}};
}

}  // namespace

json evaluation_json(const evaluation& of) {
  json labels = json::array();
  for (unsigned label = 0; label < of.costs.labels(); ++label)
    labels.push_back({{"label", label}, {"supersteps", of.costs.S(label)}});
  json foldings = json::array();
  for (unsigned level = 1; level <= most_levels(of.costs); ++level)
    foldings.push_back(folding_json(of, level));
  json models = json::array();
  for (const model_family& model : of.models) models.push_back(model_json(of, model));
  const json balance = balance_json(of.costs);
  json document{{"context", {{"pleat", PLEAT_VERSION}}},
                {"program", of.program->name},
                {"n", of.request.n},
                {"v", of.costs.v()},
                {"kappa", of.program->takes_kappa ? json(of.request.kappa) : json(nullptr)},
                {"dummies", of.request.dummies},
                {"routing", routed(of) ? "ascend-descend" : "direct"},
                {"supersteps", of.costs.supersteps().size()},
                {"messages", of.costs.messages()},
                {"streamed", of.costs.streamed()},
                {"static", !of.difference},
                {"difference", of.difference ? json(*of.difference) : json(nullptr)},
                {"labels", labels},
                {"foldings", foldings},
                {"wiseness", balance["wiseness"]},
                {"fullness", balance["fullness"]},
                {"without_dummies", balance_json(of.plain)},
                {"with_dummies", balance_json(of.dummied)},
                {"optimal_up_to", optimal_up_to},
                {"models", models}};
  for (const auto& [name, value] : parameters(of)) document[name] = value;
  if (!trees_of(of).empty()) document["schedule"] = trees_of(of);
  if (!of.machines.empty()) document["machines"] = levels_json(of);
  if (of.any_numbers) document["folded"] = folded_json(of);
  if (of.gap) document["gap"] = gap_json(*of.gap);
  return document;
}

}  // namespace pleat::bench
