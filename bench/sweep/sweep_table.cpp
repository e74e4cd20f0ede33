// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "sweep_report.hpp"
#include "tool/readable.hpp"
#include "tool/sweep_program.hpp"
#include "tool/table.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

std::string optional_number(const std::optional<double>& value) {
  return value ? readable_number(*value) : "";
}

std::string precision_of(const library_result& one) {
  if (!one.median_within) return one.samples.size() > 1 ? "too few" : "";
  const double half = (one.median_within->high - one.median_within->low) / 2;
  return "± " + readable_number(100 * half / one.seconds.median) + " %";
}

double rate(const sweep_result& result, double seconds) {
  return find_sweep_program(result.at.program).steps(result.at.n) / seconds / 1e6;
}

// Columns that not every sweep needs, and this one has.
struct columns {
  bool libraries, memory, pages, wait, ranks;

  explicit columns(std::span<const sweep_result> results) {
    const sweep_case usual;
    auto any = [&](auto differs) { return std::ranges::any_of(results, differs); };
    libraries = any([](const sweep_result& one) {
      return std::ranges::any_of(
          one.libraries, [](const library_result& each) { return each.library != "pleat"; });
    });
    memory = any([&](const sweep_result& one) { return one.at.memory != usual.memory; });
    pages = any([&](const sweep_result& one) { return one.at.pages != usual.pages; });
    wait = any([&](const sweep_result& one) { return one.at.wait != usual.wait; });
    ranks = any([](const sweep_result& one) { return one.at.ranks.has_value(); });
  }

  [[nodiscard]] std::vector<std::string> header() const {
    std::vector<std::string> names{"program", "elements", "n"};
    names.insert(names.end(), {ranks ? "mpi" : "place"});
    if (memory) names.emplace_back("memory");
    if (pages) names.emplace_back("pages");
    if (wait) names.emplace_back("wait");
    if (ranks) names.emplace_back("ranks");
    names.emplace_back("processors");
    if (libraries) names.emplace_back("library");
    names.insert(names.end(), {"median", "within", "runs", "million/s", "speed-up", "efficiency"});
    names.emplace_back(libraries ? "ratio" : "predicted");
    return names;
  }

  [[nodiscard]] std::vector<std::string> row(const sweep_result& result,
                                             const library_result* one) const {
    const auto& at = result.at;
    std::vector<std::string> cells{at.program, at.type + " " + at.distribution,
                                   readable_count(at.n), ranks ? at.mpi.value_or("") : at.place};
    if (memory) cells.push_back(at.memory);
    if (pages) cells.push_back(at.pages);
    if (wait) cells.push_back(at.wait);
    if (ranks) cells.push_back(at.ranks ? std::to_string(*at.ranks) : "");
    cells.push_back(std::to_string(at.processors));
    if (libraries) cells.push_back(one == nullptr ? "pleat" : one->library);
    if (one == nullptr) {
      cells.insert(cells.end(), {"failed", "", "", "", "", "", ""});
      return cells;
    }
    cells.insert(cells.end(), {readable_time(one->seconds.median), precision_of(*one),
                               std::to_string(one->samples.size()),
                               readable_number(rate(result, one->seconds.median)),
                               optional_number(one->speedup), optional_number(one->efficiency)});
    if (libraries)
      cells.push_back(optional_number(one->ratio));
    else
      cells.push_back(one->predicted ? readable_time(*one->predicted) : "");
    return cells;
  }
};

std::vector<std::vector<std::string>> rows_of(std::span<const sweep_result> results,
                                              const columns& shown) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& result : results) {
    for (const auto& one : result.libraries) rows.push_back(shown.row(result, &one));
    if (result.libraries.empty()) rows.push_back(shown.row(result, nullptr));
  }
  return rows;
}

// Operations that the figures of each program are of.
std::string units(std::span<const sweep_result> results) {
  std::string text;
  std::vector<std::string> told;
  for (const auto& result : results) {
    if (std::ranges::find(told, result.at.program) != told.end()) continue;
    const auto& program = find_sweep_program(told.emplace_back(result.at.program));
    const bool batches = std::ranges::any_of(results, [&](const sweep_result& one) {
      return one.at.program == result.at.program && one.at.batch != 1;
    });
    text += "  " + result.at.program + ": times are of " + std::string(program.operation) +
            (batches ? ", small ones measured many in a call" : "") + "; million/s of " +
            std::string(program.step) + "\n";
  }
  return text;
}

// Remarks below the table, a line each.
std::string remarks(std::span<const sweep_result> results) {
  std::string text = units(results);
  std::size_t limited = 0;
  for (const auto& result : results) {
    if (result.failure) text += "  " + result.at.name() + ": " + *result.failure + "\n";
    if (result.stopped == stop::time_limit) ++limited;
  }
  std::vector<std::string> told;
  for (const auto& result : results) {
    for (const auto& [rival, reason] : result.missing) {
      const auto line = "  " + rival + ": " + reason + "\n";
      if (std::ranges::find(told, line) != told.end()) continue;
      told.push_back(line);
      text += line;
    }
  }
  if (limited > 0)
    text += "  " + std::to_string(limited) + (limited == 1 ? " case has" : " cases have") +
            " reached the time limit before the precision; see --time-limit\n";
  return text;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& cell : cells) {
    std::string escaped;
    for (const char one : cell) escaped += one == '|' ? std::string("\\|") : std::string(1, one);
    line += " " + escaped + " |";
  }
  return line + "\n";
}

}  // namespace

std::string sweep_text(std::span<const sweep_result> results) {
  const columns shown(results);
  table rows(shown.header());
  for (const auto& row : rows_of(results, shown)) rows.add(row);
  const auto& style = stdout_emphasis();
  return rows.text(style.bold, style.plain, stdout_columns()) + remarks(results);
}

std::string sweep_markdown(std::span<const sweep_result> results) {
  const columns shown(results);
  std::string text = markdown_row(shown.header()) + "|";
  for (std::size_t i = 0; i < shown.header().size(); ++i) text += i == 0 ? " --- |" : " ---: |";
  text += "\n";
  for (const auto& row : rows_of(results, shown)) text += markdown_row(row);
  const auto said = remarks(results);
  return said.empty() ? text : text + "\n" + said;
}

}  // namespace pleat::bench
