// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "sweep_axes.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

using pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::array own_places{"processors", "pus", "place", "memory", "pages", "n"};

struct time_unit {
  const char* name;
  double seconds;
};
constexpr std::array time_units{time_unit{"s", 1}, time_unit{"ms", 1e-3}, time_unit{"us", 1e-6},
                                time_unit{"ns", 1e-9}};

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && (letter(text.front()) || text.front() == '_') &&
         std::ranges::all_of(text, [&](char c) {
           return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                  c == '-';
         });
}

/// Name and rest of `name=rest`. Throws: pleat::usage_error.
std::pair<std::string, std::string> named(const std::string& text, const std::string& option,
                                          const char* example) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || !is_name(std::string_view(text).substr(0, equals)))
    throw usage_error(option + ": '" + text + "' is no name with a value; write " + example);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

pairs all_named(const std::optional<std::vector<std::string>>& texts, const std::string& option,
                const char* example) {
  pairs all;
  for (const auto& text : texts.value_or(std::vector<std::string>())) {
    all.push_back(named(text, option, example));
    if (std::ranges::count(all, all.back().first, &pairs::value_type::first) > 1)
      throw usage_error(option + ": " + all.back().first + " is given twice");
  }
  return all;
}

std::vector<std::string> values_of(const std::string& list, const std::string& axis) {
  auto values = split(list);
  if (std::ranges::find(values, "") != values.end())
    throw usage_error("--axis: '" + axis + "=" + list + "' has an empty value; write " + axis +
                      "=16,32");
  return values;
}

/// Values that stand for the words in braces.
pairs places_of(const sweep_case& at) {
  pairs all;
  const auto options = at.options();
  const auto where = place(topology::host(), *options.place, options.processors);
  std::string pus;
  for (const auto& one : where.processors) pus += (pus.empty() ? "" : ",") + std::to_string(one.pu);
  all = {{"processors", std::to_string(at.processors)},
         {"pus", pus},
         {"place", at.place},
         {"memory", at.memory},
         {"pages", at.pages}};
  if (at.n != 0) all.emplace_back("n", std::to_string(at.n));
  for (const auto& setting : names_in(at.type)) {
    const auto equals = setting.find('=');
    all.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return all;
}

std::string filled_in(const std::string& text, const pairs& places) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      result += c;
      ++i;
      continue;
    }
    const auto end = c == '{' ? text.find('}', i) : std::string::npos;
    const auto name = end == std::string::npos ? "" : text.substr(i + 1, end - i - 1);
    if (!is_name(name)) {
      result += c;
      continue;
    }
    const auto found = std::ranges::find(places, name, &pairs::value_type::first);
    if (found == places.end()) {
      std::string known;
      for (const auto& one : places) known += (known.empty() ? "" : ", ") + one.first;
      throw usage_error("'" + text + "': there is no {" + name + "}; known: " + known +
                        (name == "n" ? "; --n gives it sizes" : "") + "; write {{" + name +
                        "}} for the braces themselves");
    }
    result += found->second;
    i = end;
  }
  return result;
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  bool inside = false;  // a word
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size())
      words.back() += text[++i];
    else
      words.back() += c;
  }
  if (quote != 0) throw usage_error("'" + text + "' has a quote that does not end");
  return words;
}

std::string swept_command::program() const {
  return name.value_or(std::filesystem::path(words->front()).filename().string());
}

void swept_command::check() const {
  if (!words) {
    for (const auto& [option, given] : {std::pair("--name", name.has_value()),
                                        {"--axis", axis.has_value()},
                                        {"--env", env.has_value()},
                                        {"--rival", rival.has_value()},
                                        {"--measure", measure.has_value()},
                                        {"--unit", unit.has_value()},
                                        {"--better", better.has_value()}}) {
      if (given)
        throw usage_error(std::string(option) +
                          " is of a command of your own; write it last, behind --");
    }
    return;
  }
  static_cast<void>(settings());
  static_cast<void>(all_named(env, "--env", "OMP_NUM_THREADS={processors}"));
  for (const auto& [other, command] : all_named(rival, "--rival", "other='./other {n}'")) {
    if (split_words(command).empty())
      throw usage_error("--rival: " + other + " has no command; write other='./other {n}'");
    if (is_ours(other))
      throw usage_error("--rival: " + other + " is what the first command is called; rename it");
  }
  const std::string what = measure.value_or("elapsed");
  const bool pattern = what != "elapsed" && what != "cpu" && what != "memory";
  if (pattern) static_cast<void>(printed_number(what));
  if (unit && !pattern)
    throw usage_error("--unit is of a number that the command prints; give --measure a pattern");
  if (better && *better != "less" && *better != "more")
    throw usage_error("--better: '" + *better + "' is unknown; known: less, more");
  if (better == "more" && (!pattern || !unit))
    throw usage_error(
        "--better more is of a rate that the command prints; give --measure and --unit");
}

std::vector<std::string> swept_command::settings() const {
  std::vector<std::string> all{""};
  for (const auto& [key, list] : all_named(axis, "--axis", "tile=16,32")) {
    if (std::ranges::find(own_places, key) != own_places.end())
      throw usage_error("--axis: " + key + " is one of the sweep's own axes; use --" + key +
                        ", or another name");
    std::vector<std::string> longer;
    for (const auto& before : all)
      for (const auto& value : values_of(list, key))
        longer.push_back(before + (before.empty() ? "" : ", ") + key + "=" + value);
    all = std::move(longer);
  }
  return all;
}

void swept_command::describe(sweep_case& at) const {
  at.program = program();
  std::string text;
  for (const auto& word : *words) text += (text.empty() ? "" : " ") + word;
  at.command = text;
  if (measure == "cpu") at.measure = "processor time";
  if (measure == "memory") {
    at.measure = "peak memory";
    at.unit = "bytes";
  }
  if (measure && *measure != "cpu" && *measure != "memory" && *measure != "elapsed")
    at.measure = *measure;
  if (unit && std::ranges::find(time_units, *unit, &time_unit::name) == time_units.end())
    at.unit = *unit;
  if (better == "more") at.better = better;
}

case_commands swept_command::filled(const sweep_case& at) const {
  const pairs places = places_of(at);
  const auto fill = [&](const std::vector<std::string>& template_words,
                        const std::string& library) {
    std::vector<std::string> line{library};
    for (const auto& word : template_words) line.push_back(filled_in(word, places));
    return line;
  };
  case_commands all;
  all.lines.push_back(fill(*words, std::string(command_library)));
  for (const auto& [other, command] : all_named(rival, "--rival", "other='./other {n}'"))
    all.lines.push_back(fill(split_words(command), other));
  for (const auto& [variable, value] : all_named(env, "--env", "OMP_NUM_THREADS={processors}"))
    all.environment.push_back(variable + "=" + filled_in(value, places));
  all.measure = measure.value_or("elapsed");
  const auto time = std::ranges::find(time_units, unit.value_or("s"), &time_unit::name);
  all.unit_seconds = time == time_units.end() ? 1 : time->seconds;
  all.inverse = better == "more";
  return all;
}

printed_number::printed_number(const std::string& pattern) : pattern_(pattern) {
  constexpr std::size_t longest = 1000;
  if (pattern.size() > longest)
    throw usage_error(
        "--measure: the expression has more than 1,000 characters; write e.g. "
        "'Time: ([0-9.]+)'");
  try {
    expression_.assign(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error&) {
    throw usage_error("--measure: '" + pattern +
                      "' is no regular expression without back-references; write e.g. "
                      "'Time: ([0-9.]+)'");
  }
  if (expression_.mark_count() != 1)
    throw usage_error("--measure: '" + pattern +
                      "' has not one group; write elapsed, cpu, memory, or 'Time: ([0-9.]+)'");
}

double printed_number::last_in(const std::string& output) const {
  std::string text;
  const std::sregex_iterator none;
  for (auto at = std::sregex_iterator(output.begin(), output.end(), expression_); at != none; ++at)
    text = (*at)[1].str();
  if (text.empty())
    throw error("--measure: nothing that the command prints matches '" + pattern_ + "'");
  constexpr double least = 1e-50, most = 1e50;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (*end != 0 || !(number >= least && number <= most))
    throw error("--measure: '" + text +
                "' that the command prints is no number between 1e-50 and 1e50");
  return number;
}

}  // namespace pleat::bench
