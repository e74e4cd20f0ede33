// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sweep_comparison.hpp"
#include "tool/printable.hpp"
#include "tool/readable.hpp"
#include "tool/table.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

std::string three_decimals(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

std::string probability(double p) { return p < 0.001 ? "< 0.001" : three_decimals(p); }

std::string range_text(const time_ratio& ratio) {
  if (!ratio.range) return "too few samples";
  return three_decimals(ratio.range->low) + " … " + three_decimals(ratio.range->high);
}

// The probability that the verdict is wrong: of `undecided`, what kept it from being a difference.
double probability_of(const judgement& judged) {
  return judged.what == verdict::same ? judged.p_same : judged.p_different;
}

bool all_have_keys(const sweep_comparison& comparison) {
  for (const auto& one : comparison.cases)
    if (one.keys.program.empty() || one.keys.n == 0 || one.keys.processors == 0) return false;
  return true;
}

struct key_column {
  const char* name;
  std::string (*value)(const case_keys&);
};

constexpr std::array key_columns{
    key_column{"program", [](const case_keys& k) { return k.program; }},
    key_column{"library", [](const case_keys& k) { return k.library; }},
    key_column{"type", [](const case_keys& k) { return k.type; }},
    key_column{"distribution", [](const case_keys& k) { return k.distribution; }},
    key_column{"n", [](const case_keys& k) { return readable_count(k.n); }},
    key_column{"processors", [](const case_keys& k) { return std::to_string(k.processors); }},
    key_column{"ranks", [](const case_keys& k) { return std::to_string(k.ranks); }},
    key_column{"mpi", [](const case_keys& k) { return k.mpi; }},
    key_column{"place", [](const case_keys& k) { return k.place; }},
    key_column{"memory", [](const case_keys& k) { return k.memory; }},
    key_column{"pages", [](const case_keys& k) { return k.pages; }},
    key_column{"wait", [](const case_keys& k) { return k.wait; }},
    key_column{"hardware threads", [](const case_keys& k) { return k.hardware_threads; }},
    key_column{"scaling", [](const case_keys& k) { return k.scaling; }}};

// Chooses the columns in which the cases differ, and always program, n and processors.
std::vector<key_column> columns_of(const sweep_comparison& comparison) {
  std::vector<key_column> chosen;
  for (const auto& column : key_columns) {
    const std::string_view name = column.name;
    const auto first = column.value(comparison.cases.front().keys);
    const bool differ = std::ranges::any_of(comparison.cases, [&](const compared_case& one) {
      return column.value(one.keys) != first;
    });
    if (differ || name == "program" || name == "n" || name == "processors")
      chosen.push_back(column);
  }
  return chosen;
}

std::string table_text(const sweep_comparison& comparison) {
  const bool keys = all_have_keys(comparison);
  std::vector<key_column> columns;
  std::vector<std::string> header;
  if (keys) {
    columns = columns_of(comparison);
    for (const auto& column : columns) header.emplace_back(column.name);
  } else {
    header.emplace_back("case");
  }
  header.insert(header.end(), {"before", "after", "ratio", "95 % interval", "p", "verdict"});
  table rows(header);
  for (const auto& one : comparison.cases) {
    std::vector<std::string> cells;
    for (const auto& column : columns) cells.push_back(column.value(one.keys));
    if (!keys) cells.push_back(one.name);
    cells.insert(cells.end(),
                 {readable_time(one.before_s), readable_time(one.after_s),
                  three_decimals(one.judged.ratio.value), range_text(one.judged.ratio),
                  probability(probability_of(one.judged)), std::string(name_of(one.judged.what))});
    rows.add(std::move(cells));
  }
  const auto& style = stdout_emphasis();
  return rows.text(style.bold, style.plain, stdout_columns());
}

std::string listed(std::string_view title, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text = std::string(title) + ":\n";
  for (const auto& name : names) text += "  " + printable(name) + "\n";
  return text;
}

}  // namespace

std::string comparison_text(const sweep_comparison& comparison) {
  std::string text = table_text(comparison) + "\n";
  for (const auto what : {verdict::faster, verdict::slower, verdict::same, verdict::undecided})
    text += (what == verdict::faster ? "" : ", ") + std::to_string(comparison.count(what)) + " " +
            std::string(name_of(what));
  text += "; the same is within " + readable_number(100 * comparison.settings.band) +
          " %, at most " + readable_number(100 * comparison.settings.error) +
          " % wrong verdicts in all\n";
  text += listed("Only in " + printable(comparison.before), comparison.only_before);
  text += listed("Only in " + printable(comparison.after), comparison.only_after);
  std::vector<std::string> failed;
  for (const auto& one : comparison.failed)
    failed.push_back(one.name + " in " + one.origin + ": " + one.message);
  return text + listed("Not measured", failed);
}

}  // namespace pleat::bench
