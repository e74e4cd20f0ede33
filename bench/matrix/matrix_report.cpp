// SPDX-License-Identifier: Apache-2.0
#include "matrix_report.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "measure/statistics.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

using nlohmann::ordered_json;

// All pairs of processors that are equally near in the hardware's tree.
struct processor_relation {
  std::string name;            // "hardware threads of one core", "cores within one L3"
  unsigned depth = 0;          // of what joins them in the tree; the deeper the nearer
  std::size_t pairs;           // of which something was measured
  double median, least, most;  // of the pairs' medians
};

const processing_unit& unit_of(const topology& on, unsigned pu) {
  return on.units()[*on.find_pu(pu)];
}

const topology_object& joined_by(const topology& on, unsigned pu, unsigned other) {
  return on.objects()[on.common_object(unit_of(on, pu).object, unit_of(on, other).object)];
}

// "L3" of "L3 L#0": the kind without the index.
std::string kind_of(const topology_object& object) {
  return object.name.substr(0, object.name.find(" L#"));
}

std::string relation_of(const topology& on, unsigned pu, unsigned other) {
  if (unit_of(on, pu).core == unit_of(on, other).core) return "hardware threads of one core";
  return "cores within one " + kind_of(joined_by(on, pu, other));
}

// The relations of these PUs, the nearest first, with what a symmetric matrix says of them: its
// rows and columns are the PUs in this order.
std::vector<processor_relation> relations(const topology& on, std::span<const unsigned> pus,
                                          const measured_matrix& matrix) {
  // The depth first, so that the map has the farthest first.
  std::map<std::pair<unsigned, std::string>, std::vector<double>> medians;
  for (std::size_t row = 0; row < pus.size(); ++row) {
    for (std::size_t column = row + 1; column < pus.size(); ++column) {
      const auto& cell = matrix.at(row, column);
      if (!cell) continue;
      const auto name = relation_of(on, pus[row], pus[column]);
      medians[{joined_by(on, pus[row], pus[column]).depth, name}].push_back(cell->median);
    }
  }
  std::vector<processor_relation> result;
  for (const auto& [relation, values] : medians) {
    const auto [least, most] = std::ranges::minmax(values);
    result.push_back(
        {relation.second, relation.first, values.size(), quantile(values, 0.5), least, most});
  }
  std::ranges::reverse(result);
  return result;
}

bool has_threads(const topology& on) {
  return std::ranges::any_of(on.units(), [](const auto& unit) { return unit.thread > 0; });
}

// The rows of processors say which are threads of one core.
measured_matrix labelled(const topology& on, const measured_machine& measured,
                         measured_matrix matrix) {
  if (matrix.name != "line_latency" || !has_threads(on)) return matrix;
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    const auto& processor = measured.processors[row];
    matrix.rows[row] = "core " + std::to_string(processor.core) + " thread " +
                       std::to_string(unit_of(on, processor.pu).thread) + " = " + matrix.rows[row];
  }
  return matrix;
}

std::string relations_text(const topology& on, const measured_machine& measured,
                           const measured_matrix& matrix, const heat_map_look& look) {
  table lines({"between", "pairs", "median", "least", "most"});
  const auto found = relations(on, measured.pus(), matrix);
  for (const auto& one : found)
    lines.add({one.name, readable_count(one.pairs), readable_time(one.median),
               readable_time(one.least), readable_time(one.most)});
  return found.empty() ? "" : "\n" + lines.text({}, {}, look.columns);
}

std::string intervals_text(const measured_machine& measured) {
  std::vector<double> halves;
  for (const auto& matrix : measured.matrices)
    for (const auto& cell : matrix.cells)
      if (cell && cell->bounds)
        halves.push_back((cell->bounds->high - cell->bounds->low) / 2 / cell->median);
  if (halves.empty()) return "Medians of fewer than 6 samples: no intervals.\n";
  const auto percent = [](double share) { return "± " + readable_number(100 * share) + " %"; };
  return "Medians. 95 % intervals: " + percent(quantile(halves, 0.5)) + " in the middle, " +
         percent(std::ranges::max(halves)) + " at most; --json has each.\n";
}

template <class F> ordered_json grid(const measured_matrix& matrix, const F& value) {
  auto rows = ordered_json::array();
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    auto cells = ordered_json::array();
    for (std::size_t column = 0; column < matrix.columns.size(); ++column)
      cells.push_back(value(matrix.at(row, column)));
    rows.push_back(std::move(cells));
  }
  return rows;
}

ordered_json matrix_of(const measured_matrix& matrix) {
  using cell = std::optional<matrix_cell>;
  const auto median = [](const cell& of) { return of ? ordered_json(of->median) : ordered_json(); };
  const auto bound = [](double interval::*side) {
    return [side](const cell& of) {
      return of && of->bounds ? ordered_json(*of->bounds.*side) : ordered_json();
    };
  };
  const auto samples = [](const cell& of) { return ordered_json(of ? of->samples : 0); };
  return {{"name", matrix.name},
          {"title", matrix.title},
          {"unit", matrix.unit},
          {"symmetric", matrix.symmetric},
          {"rows", matrix.rows},
          {"columns", matrix.columns},
          {"median", grid(matrix, median)},
          {"interval_low", grid(matrix, bound(&interval::low))},
          {"interval_high", grid(matrix, bound(&interval::high))},
          {"samples", grid(matrix, samples)}};
}

}  // namespace

std::string matrix_text(const topology& on, const measured_machine& measured,
                        const heat_map_look& look) {
  std::string text;
  for (const auto& matrix : measured.matrices) {
    text += heat_map(labelled(on, measured, matrix), look);
    if (matrix.name == "line_latency") text += relations_text(on, measured, matrix, look);
    text += '\n';
  }
  return text + intervals_text(measured);
}

ordered_json matrix_json(const topology& on, const measured_machine& measured) {
  auto processors = ordered_json::array();
  for (const auto& one : measured.processors)
    processors.push_back({{"rank", one.rank},
                          {"pu", one.pu},
                          {"core", one.core},
                          {"thread", unit_of(on, one.pu).thread},
                          {"numa", one.numa},
                          {"package", one.package}});
  auto nodes = ordered_json::array();
  for (const auto& one : measured.nodes)
    nodes.push_back({{"numa", one.numa},
                     {"pus", one.pus},
                     {"threads", one.cores},
                     {"read_bytes", one.read_bytes}});
  auto matrices = ordered_json::array();
  auto near = ordered_json::array();
  for (const auto& matrix : measured.matrices) {
    matrices.push_back(matrix_of(matrix));
    if (matrix.name != "line_latency") continue;
    for (const auto& one : relations(on, measured.pus(), matrix))
      near.push_back({{"name", one.name},
                      {"depth", one.depth},
                      {"pairs", one.pairs},
                      {"median_s", one.median},
                      {"least_s", one.least},
                      {"most_s", one.most}});
  }
  return {{"confidence", 0.95},
          {"stopped", measured.complete ? "rounds" : "time-limit"},
          {"processors", std::move(processors)},
          {"nodes", std::move(nodes)},
          {"matrices", std::move(matrices)},
          {"relations", std::move(near)}};
}

std::string what_is_coarse(const measured_machine& measured) {
  if (measured.complete) return {};
  std::size_t pairs = 0, coarse = 0, missing = 0;
  for (const auto& matrix : measured.matrices) {
    for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
      for (std::size_t column = matrix.symmetric ? row + 1 : 0; column < matrix.columns.size();
           ++column) {
        const auto& cell = matrix.at(row, column);
        ++pairs;
        if (!cell) ++missing;
        if (cell && !cell->bounds) ++coarse;
      }
    }
  }
  return readable_count(missing) + " of " + readable_count(pairs) +
         " pairs not measured, too few samples for an interval of " + readable_count(coarse);
}

}  // namespace pleat::bench
