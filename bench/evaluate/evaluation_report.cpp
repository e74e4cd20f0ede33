// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>

#include "evaluated_program.hpp"
#include "schedule/messages.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t processors(unsigned level) { return std::size_t{1} << level; }

// The largest folding: M(2^j), 2^j ≤ v.
unsigned most_levels(const cost_trace& costs) {
  return static_cast<unsigned>(std::bit_width(costs.v())) - 1;
}
unsigned predicted_levels(const evaluation& of, const model_family& model) {
  return std::min({most_levels(of.costs), most_predicted_levels, model.most_levels});
}
unsigned predicted_levels(const evaluation& of) {
  unsigned most = 0;
  for (const model_family& model : of.models) most = std::max(most, predicted_levels(of, model));
  return most;
}

// The shortest text that means this number: 16, 0.5, 1e+20.
std::string exact(double value) {
  std::array<char, 32> text{};
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  const auto end = whole ? std::to_chars(text.data(), text.data() + text.size(),
                                         static_cast<std::int64_t>(value))
                               .ptr
                         : std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

// Small shares matter, so these are significant digits: 0.00195.
std::string share_text(double value) {
  if (!std::isfinite(value)) return "unbounded";
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::general, 3)
                           .ptr};
}

json finite(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

double lower_bound(const evaluation& of, std::size_t p, double sigma) {
  const double bound = of.program->lower_bound(of.request.n, p, sigma);
  if (!of.program->takes_words) return bound;
  const double of_a_word = of.program->lower_bound(of.request.n, p, 0);
  return bound + static_cast<double>(of.request.words - 1) * of_a_word;
}

// Options of the program that were asked for, or are its own, with their values.
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

// Name of its trees; empty of the circulant graph and of programs without a schedule.
std::string trees_of(const evaluation& of) {
  const auto chosen = static_cast<std::size_t>(of.request.form.along);
  return chosen == 0 ? "" : std::string(schedule_names.at(chosen));
}

bool routed(const evaluation& of) { return of.request.routing == routing::ascend_descend; }

// The program that the theorem is about: routing is the machine's.
const cost_trace& judged(const evaluation& of) { return routed(of) ? of.plain : of.costs; }

// Largest H over its bound, among the M(2^k, σ) on which the theorem wants a program to be optimal.
// The reciprocal is its β, 1 at most.
struct worst_ratio {
  double ratio = 1;
  unsigned k = 0;  // 0: H is nowhere above the bound
  double sigma = 0;
};

// The theorem's σ of M(2^k) lie between the least and the largest l/g, times 2^level/2^k. H and all
// bounds but those of trees are linear in σ, so their ratio is largest at one of the ends.
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

// The largest H over its bound that counts as optimal. The bounds omit constants, and optimal up to
// a constant cannot be measured at one n; of the programs that are proved optimal, none exceeds 8.
constexpr double optimal_up_to = 16;

// Names the first of the theorem's conditions that does not hold on 2^level processors of a family.
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

// Share of the best time that the theorem promises of an (α, p)-wise, β-optimal program.
double promised(double alpha, double beta) { return alpha * beta / (1 + alpha); }

std::string heading(const std::string& text) {
  const emphasis& style = stdout_emphasis();
  return "\n" + style.bold + text + style.plain + "\n";
}

std::string summary_text(const evaluation& of) {
  const std::string size = readable_count(of.request.n);
  std::string out = std::string(of.program->name) + ": " + std::string(of.program->description);
  if (of.program->takes_kappa) out += ", κ = " + readable_count(of.request.kappa);
  if (!trees_of(of).empty()) out += ", " + trees_of(of) + " trees";
  for (const auto& [name, value] : parameters(of)) out += ", " + name + " " + readable_count(value);
  out += "\nn = " + size + " on M(" + readable_count(of.costs.v()) +
         "): " + counted(of.costs.supersteps().size(), "superstep") + ", " +
         counted(of.costs.messages(), "message") +
         (of.costs.streamed() == 0
              ? ""
              : ", " + readable_count(of.costs.streamed()) + " of them streamed") +
         (of.request.dummies ? ", dummies included" : "") +
         (routed(of) ? ", routed by ascend-descend" : "") + "\n";
  out += of.difference ? "not static: " + *of.difference + "\n"
                       : "static: the same supersteps and messages for three random inputs\n";
  return out;
}

std::string labels_text(const evaluation& of) {
  table rows({"label", "supersteps"});
  for (unsigned label = 0; label < of.costs.labels(); ++label)
    if (of.costs.S(label) > 0) rows.add({std::to_string(label), readable_count(of.costs.S(label))});
  return heading("Supersteps") + rows.text({}, {}, stdout_columns());
}

std::string complexity_text(const evaluation& of) {
  std::vector<std::string> header{"p", "supersteps", "degree"};
  for (const double sigma : of.sigmas) {
    header.push_back("H(σ = " + exact(sigma) + ")");
    header.emplace_back("ratio");
  }
  table rows(header);
  for (const folded_costs& one : of.foldings) {
    std::vector<std::string> row{readable_count(one.processors), readable_count(one.supersteps),
                                 readable_count(one.degree)};
    for (const double sigma : of.sigmas) {
      const double ratio = one.H(sigma) / lower_bound(of, one.processors, sigma);
      row.push_back(readable_number(one.H(sigma)));
      row.push_back(std::isfinite(ratio) ? readable_number(ratio) : "");
    }
    rows.add(row);
  }
  return heading("Communication complexity" +
                 std::string(of.any_numbers ? " of N/p virtual processors each" : "") +
                 ", and its ratio to the lower bound " + std::string(of.program->bound)) +
         rows.text({}, {}, stdout_columns());
}

std::string levels_text(const evaluation& of) {
  std::string text;
  for (const auto& levels : of.machines) {
    table rows({"level", "sends", "messages", "bytes", "supersteps", "degree"});
    for (const evaluated_level& one : levels) {
      rows.add({printable(one.name), readable_count(one.costs.sends),
                readable_count(one.costs.messages),
                readable_bytes(8.0 * static_cast<double>(one.costs.messages)),
                readable_count(one.costs.supersteps), readable_count(one.costs.degree)});
    }
    text += heading("What crosses each level, and the supersteps that cross it and none above") +
            rows.text({}, {}, stdout_columns());
  }
  return text;
}

std::string gap_text(const evaluation& of) {
  if (!of.gap) return {};
  const tree_gap& gap = *of.gap;
  return heading("GAP: what a degree costs that does not know σ") + "  for σ from " +
         exact(gap.least_sigma) + " to " + exact(gap.most_sigma) +
         " κ = " + readable_count(of.request.kappa) + " has up to " + readable_number(gap.gap) +
         " times the H of the best degree, which is " + readable_count(gap.best) +
         " at σ = " + exact(gap.sigma) + "; whatever does not know σ has Ω(" +
         readable_number(gap.lowest) + ")\n";
}

std::string balance_text(const evaluation& of) {
  std::vector<std::string> header{"p", "α", "γ", "α with dummies", "γ with dummies"};
  if (routed(of)) header.insert(header.end(), {"α routed", "γ routed"});
  table rows(header);
  for (unsigned level = 1; level <= most_levels(of.costs); ++level) {
    std::vector<std::string> row{readable_count(processors(level))};
    const auto add = [&](const cost_trace& costs) {
      row.push_back(share_text(costs.wiseness(level)));
      row.push_back(share_text(costs.fullness(level)));
    };
    add(of.plain);
    add(of.dummied);
    if (routed(of)) add(of.costs);
    rows.add(row);
  }
  return heading(
             "Wiseness and fullness: the largest α and γ for which it is (α, p)-wise and (γ, "
             "p)-full") +
         rows.text({}, {}, stdout_columns());
}

std::string times_text(const evaluation& of) {
  std::vector<std::string> header{"p"};
  for (const model_family& model : of.models) {
    header.push_back(model.name);
    if (routed(of)) header.emplace_back("direct");
  }
  table rows(header);
  for (unsigned level = 1; level <= predicted_levels(of); ++level) {
    std::vector<std::string> row{readable_count(processors(level))};
    for (const model_family& model : of.models) {
      if (level > predicted_levels(of, model)) {
        row.emplace_back("");
        if (routed(of)) row.emplace_back("");
        continue;
      }
      const machine_model machine = model.machine(level);
      const auto text = [&](const cost_trace& costs) {
        const double time = costs.D(level, machine.g, machine.l);
        return model.seconds ? readable_time(time) : readable_number(time);
      };
      row.push_back(text(of.costs));
      if (routed(of)) row.push_back(text(of.plain));
    }
    rows.add(row);
  }
  return heading("Communication time on D-BSP(p, g, l)") + rows.text({}, {}, stdout_columns());
}

std::string conditions_text(const evaluation& of) {
  std::string out = heading("Conditions of the optimality theorem");
  const unsigned most = most_levels(of.costs);
  if (of.difference)
    out += "  program: not static, and the theorem says nothing of it\n";
  else if (routed(of))
    out += "  program: static, and (γ, p)-full with γ = " + share_text(of.plain.fullness(most)) +
           "; routed it loses a factor of (1 + 1/γ) log² p at most, up to a constant\n";
  else
    out += "  program: static, and (α, p)-wise with α = " + share_text(of.costs.wiseness(most)) +
           "; on M(2^k, σ) for all 2^k ≤ p, H is at most 1/β times the bound\n";
  for (const model_family& model : of.models) {
    unsigned level = predicted_levels(of, model);
    const auto broken = violation(of, model, level);
    out += "  " + printable(model.name) + ": " + (broken ? "violated, " + *broken : "met");
    while (level > 0 && violation(of, model, level)) --level;
    if (broken && level > 0) out += "; met up to p = " + readable_count(processors(level));
    if (level > 0) {
      const double beta = 1 / worst_on(of, model.machine(level)).ratio;
      out += ", with β = " + share_text(beta);
      if (!routed(of))
        out += " and αβ/(1 + α) = " + share_text(promised(of.costs.wiseness(level), beta)) +
               " of the best time";
    }
    out += "\n";
  }
  return out;
}

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

const std::vector<model_family>& network_families() {
  static const std::vector<model_family> families{
      {"mesh", most_predicted_levels, mesh_2d, false},
      {"hypercube", most_predicted_levels, hypercube, false},
      {"fat-tree", most_predicted_levels, fat_tree, false},
      {"uniform", most_predicted_levels, [](unsigned levels) { return uniform(levels, 1, 1); },
       false}};
  return families;
}

model_family family_of(const machine_model& whole, bool seconds) {
  return {whole.name, whole.levels(),
          [whole](unsigned levels) { return submachine(whole, levels); }, seconds};
}

std::string evaluation_text(const evaluation& of) {
  return summary_text(of) + labels_text(of) + complexity_text(of) + levels_text(of) + gap_text(of) +
         balance_text(of) + times_text(of) + conditions_text(of);
}

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
