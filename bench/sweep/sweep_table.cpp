// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "sweep_result.hpp"
#include "tool/printable.hpp"
#include "tool/sweep_program.hpp"
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
  return operation_of(result.at).steps / seconds / 1e6;
}

// Columns that not every sweep needs, and this one has.
struct columns {
  bool libraries, memory, pages, wait, ranks, commands;

  explicit columns(std::span<const sweep_result> results) {
    const sweep_case usual;
    auto any = [&](auto differs) { return std::ranges::any_of(results, differs); };
    libraries = any([](const sweep_result& one) {
      return std::ranges::any_of(one.libraries,
                                 [](const library_result& each) { return !is_ours(each.library); });
    });
    memory = any([&](const sweep_result& one) { return one.at.memory != usual.memory; });
    pages = any([&](const sweep_result& one) { return one.at.pages != usual.pages; });
    wait = any([&](const sweep_result& one) { return one.at.wait != usual.wait; });
    ranks = any([](const sweep_result& one) { return one.at.ranks.has_value(); });
    commands = any([](const sweep_result& one) { return one.at.command.has_value(); });
  }

  [[nodiscard]] std::vector<std::string> header() const {
    std::vector<std::string> names{"program", commands ? "settings" : "elements", "n"};
    names.insert(names.end(), {ranks ? "mpi" : "place"});
    if (memory) names.emplace_back("memory");
    if (pages) names.emplace_back("pages");
    if (wait) names.emplace_back("wait");
    if (ranks) names.emplace_back("ranks");
    names.emplace_back("processors");
    if (libraries) names.emplace_back("library");
    names.insert(names.end(), {"median", "within", "runs"});
    if (!commands) names.emplace_back("million/s");
    names.insert(names.end(), {"speed-up", "efficiency"});
    if (libraries || !commands) names.emplace_back(libraries ? "ratio" : "predicted");
    return names;
  }

  [[nodiscard]] std::vector<std::string> row(const sweep_result& result,
                                             const library_result* one) const {
    const auto& at = result.at;
    std::vector<std::string> cells{at.program,
                                   at.command ? at.type : at.type + " " + at.distribution,
                                   at.command && at.n == 0 ? "" : readable_count(at.n),
                                   ranks ? at.mpi.value_or("") : at.place};
    if (memory) cells.push_back(at.memory);
    if (pages) cells.push_back(at.pages);
    if (wait) cells.push_back(at.wait);
    if (ranks) cells.push_back(at.ranks ? std::to_string(*at.ranks) : "");
    cells.push_back(std::to_string(at.processors));
    if (libraries)
      cells.push_back(at.command && (one == nullptr || is_ours(one->library)) ? at.program
                      : one == nullptr                                        ? at.library()
                                                                              : one->library);
    if (one == nullptr) {
      cells.emplace_back("failed");
      cells.resize(header().size());
      return cells;
    }
    cells.insert(cells.end(), {at.readable(one->seconds.median), precision_of(*one),
                               std::to_string(one->samples.size())});
    if (!commands) cells.push_back(readable_number(rate(result, one->seconds.median)));
    cells.insert(cells.end(), {optional_number(one->speedup), optional_number(one->efficiency)});
    if (libraries)
      cells.push_back(optional_number(one->ratio));
    else if (!commands)
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
    told.push_back(result.at.program);
    const swept_operation operation = operation_of(result.at);
    const bool batches = std::ranges::any_of(results, [&](const sweep_result& one) {
      return one.at.program == result.at.program && one.at.batch != 1;
    });
    text += "  " + printable(result.at.program) + ": " +
            printable((result.at.measure ? *result.at.measure : "times are") + " of " +
                      operation.name) +
            (batches ? ", small ones measured many in a call" : "") +
            (result.at.command ? "" : "; million/s of " + operation.step) + "\n";
  }
  return text;
}

// Remarks below the table, a line each.
std::string remarks(std::span<const sweep_result> results) {
  std::string text = units(results);
  std::size_t limited = 0;
  for (const auto& result : results) {
    if (result.failure) text += "  " + printable(result.at.name() + ": " + *result.failure) + "\n";
    if (result.stopped == stop::time_limit) ++limited;
  }
  std::vector<std::string> told;
  for (const auto& result : results) {
    for (const auto& [rival, reason] : result.missing) {
      const auto line = "  " + printable(rival + ": " + reason) + "\n";
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
    for (const char one : printable(cell))
      escaped += one == '|' ? std::string("\\|") : std::string(1, one);
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
