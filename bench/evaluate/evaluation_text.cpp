// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "judgement.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

unsigned predicted_levels(const evaluation& of) {
  unsigned most = 0;
  for (const model_family& model : of.models) most = std::max(most, predicted_levels(of, model));
  return most;
}

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

}  // namespace

std::string evaluation_text(const evaluation& of) {
  return summary_text(of) + labels_text(of) + complexity_text(of) + levels_text(of) + gap_text(of) +
         balance_text(of) + times_text(of) + conditions_text(of);
}

}  // namespace pleat::bench
