// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "sweep_file.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t bar_columns = 40;

// One line of a bar chart.
struct bar {
  std::string label;
  double length;                    // in units of the chart's scale
  std::string value;                // written behind the bar
  std::optional<double> mark = {};  // end of a dotted line behind the bar, in the same units
};

constexpr std::size_t parts = 8;  // of a character
constexpr std::array<std::string_view, parts> begun{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

// A line for each bar: label, blocks, dots up to the mark, value.
std::string bars_text(const std::vector<bar>& bars) {
  double longest = 0;
  std::size_t label_width = 0;
  for (const auto& one : bars) {
    longest = std::max({longest, one.length, one.mark.value_or(0)});
    label_width = std::max(label_width, characters(one.label));
  }
  const auto eighths = [&](double length) {
    if (longest <= 0 || length <= 0) return std::size_t{0};
    const auto scale = static_cast<double>(bar_columns * parts) / longest;
    return static_cast<std::size_t>(std::llround(length * scale));
  };
  std::string text;
  for (const auto& one : bars) {
    text += "  " + std::string(label_width - characters(one.label), ' ') + one.label + "  ";
    const std::size_t filled = eighths(one.length);
    for (std::size_t i = 0; i < filled / parts; ++i) text += "█";
    text += begun[filled % parts];
    std::size_t width = (filled + parts - 1) / parts;
    const std::size_t marked = one.mark ? eighths(*one.mark) / parts : 0;
    for (; width < marked; ++width) text += "·";
    text += " " + one.value + "\n";
  }
  return text;
}

using case_list = std::vector<const measured_case*>;

// The keys that all cases of a series share.
case_keys series_of(const measured_case& one) {
  case_keys keys = one.keys;
  keys.at.n = 0;
  keys.at.batch = 1;
  // Over ranks, the processors of a rank stay the same.
  keys.at.processors = one.keys.at.ranks ? one.keys.at.processors_of_rank() : 0;
  if (keys.at.ranks) keys.at.ranks = 1;
  return keys;
}

std::string title_of(const sweep_case& at) {
  std::string title = at.program;
  for (const auto& part : {at.type, at.distribution}) title += part.empty() ? "" : " " + part;
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) title += std::string(", ") + what + " " + value;
  };
  add("place", at.place);
  add("memory", at.memory);
  add("pages", at.pages);
  add("wait", at.wait);
  if (!at.place.empty()) add("hardware threads", at.hardware_threads());
  add("ranks of", at.mpi.value_or(""));
  if (at.ranks) add("processors of each", std::to_string(at.processors));
  if (at.per_processor != 0)
    title += ", weak scaling, " + readable_count(at.per_processor) + " for each processor";
  return printable(title);
}

std::string number(const std::optional<double>& value) {
  return value ? readable_number(*value) : "";
}

std::string bold(const std::string& text) {
  return stdout_emphasis().bold + text + stdout_emphasis().plain + "\n";
}

std::string times_table(const case_list& series) {
  std::vector<std::string> header{"n"};
  const bool ranks = series.front()->keys.at.ranks.has_value();
  if (ranks) header.emplace_back("ranks");
  header.insert(header.end(),
                {"processors", "median", "95 % interval", "speed-up", "efficiency", "predicted"});
  table rows(header);
  for (const measured_case* one : series) {
    const auto& within = one->median_within;
    std::vector<std::string> row{readable_count(one->keys.at.n)};
    if (ranks) row.push_back(std::to_string(one->keys.at.ranks.value_or(0)));
    row.insert(row.end(),
               {std::to_string(one->keys.at.processors), readable_time(one->median_s),
                within ? readable_time(within->low) + " … " + readable_time(within->high) : "",
                number(one->speedup), number(one->efficiency),
                one->predicted_s ? readable_time(*one->predicted_s) : ""});
    rows.add(row);
  }
  return rows.text({}, {}, stdout_columns());
}

std::string speedup_chart(const case_list& series) {
  std::size_t n = 0;
  for (const measured_case* one : series) n = std::max(n, one->keys.at.n);
  std::vector<bar> bars;
  for (const measured_case* one : series) {
    if (!one->speedup || (one->keys.at.n != n && one->keys.at.per_processor == 0)) continue;
    bars.push_back({std::to_string(one->keys.at.processors), *one->speedup,
                    readable_number(*one->speedup), static_cast<double>(one->keys.at.processors)});
  }
  if (bars.size() < 2) return {};
  const bool weak = series.front()->keys.at.per_processor != 0;
  const bool ranks = series.front()->keys.at.ranks.has_value();
  return std::string("\n  Speed-up by processors") + (ranks ? " of all ranks" : "") +
         (weak ? "" : ", n = " + readable_count(n)) + "; dots up to the ideal\n" + bars_text(bars);
}

std::string time_chart(const case_list& series) {
  unsigned most = 0;
  for (const measured_case* one : series) most = std::max(most, one->keys.at.processors);
  case_list shown;
  for (const measured_case* one : series)
    if (one->keys.at.processors == most) shown.push_back(one);
  if (shown.size() < 2) return {};
  const double least = (*std::ranges::min_element(shown, {}, &measured_case::median_s))->median_s;
  std::vector<bar> bars;
  // The shortest bar too has a length: one factor of two.
  for (const measured_case* one : shown)
    bars.push_back({readable_count(one->keys.at.n), 1 + std::log2(one->median_s / least),
                    readable_time(one->median_s)});
  return "\n  Time by n, " + std::to_string(most) + (most == 1 ? " processor" : " processors") +
         "; logarithmic\n" + bars_text(bars);
}

std::string ratios_table(const sweep_file& sweep) {
  table rows({"program", "n", "processors", "place", "memory", "rival", "median", "ratio",
              "95 % interval"});
  const auto ratios = rival_ratios(sweep);
  for (const auto& one : ratios) {
    const sweep_case& at = one.rival->keys.at;
    rows.add({at.program, readable_count(at.n), std::to_string(at.processors), at.place, at.memory,
              one.rival->keys.library, readable_time(one.rival->median_s),
              readable_number(one.ratio),
              one.range ? readable_number(one.range->low) + " … " + readable_number(one.range->high)
                        : ""});
  }
  if (ratios.empty()) return {};
  return bold("Rivals: their median over Pleat's; above 1 Pleat is faster") +
         rows.text({}, {}, stdout_columns()) + "\n";
}

std::string failures(const sweep_file& sweep) {
  std::string text;
  for (const auto& one : sweep.cases) {
    if (one.failure) text += "  " + printable(one.name) + ": " + printable(*one.failure) + "\n";
  }
  return text.empty() ? text : bold("Failed") + text;
}

}  // namespace

std::string scaling_text(const sweep_file& sweep) {
  std::vector<case_keys> all;
  for (const auto& one : sweep.cases) {
    if (is_ours(one.keys.library) && one.measured() &&
        std::ranges::find(all, series_of(one)) == all.end())
      all.push_back(series_of(one));
  }
  std::string text;
  for (const auto& keys : all) {
    case_list series;
    for (const auto& one : sweep.cases)
      if (one.measured() && series_of(one) == keys) series.push_back(&one);
    text += bold(title_of(keys.at)) + times_table(series) + speedup_chart(series) +
            time_chart(series) + "\n";
  }
  return text + ratios_table(sweep) + failures(sweep);
}

}  // namespace pleat::bench
