// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "report/json_file.hpp"
#include "sweep_result.hpp"

namespace pleat::bench {
namespace {

// Digits from which the same number is read back.
std::string digits(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string digits(const std::optional<double>& value) { return value ? digits(*value) : ""; }

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char one : text) quoted += one == '"' ? std::string("\"\"") : std::string(1, one);
  return quoted + "\"";
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& one : fields) line += (line.empty() ? "" : ",") + field(one);
  return line + "\r\n";
}

}  // namespace

std::string sweep_csv(std::span<const sweep_result> results) {
  std::string text;
  std::vector<std::string> names;  // of the usual keys, and those that one of the cases has
  auto add_names = [&names](const sweep_case& at) {
    const auto keys = case_json(at);
    for (const auto& [key, value] : keys.items())
      if (std::ranges::find(names, key) == names.end()) names.push_back(key);
  };
  add_names({});
  for (const auto& result : results) add_names(result.at);
  auto keys_of = [&names](const sweep_case& at) {
    std::vector<std::string> fields;
    const auto keys = case_json(at);
    for (const auto& name : names) {
      const auto value = keys.value(name, nlohmann::ordered_json(""));
      fields.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
    return fields;
  };
  std::vector<std::string> header{"library"};
  header.insert(header.end(), names.begin(), names.end());
  header.insert(header.end(), {"repetitions", "median_s", "interval_low_s", "interval_high_s",
                               "quartile_low_s", "quartile_high_s", "speedup", "efficiency",
                               "predicted_s", "ratio", "stopped", "error"});
  text += line_of(header);
  for (const auto& result : results) {
    const auto keys = keys_of(result.at);
    auto add = [&](const std::string& library, const std::vector<std::string>& figures) {
      std::vector<std::string> fields{library};
      fields.insert(fields.end(), keys.begin(), keys.end());
      fields.insert(fields.end(), figures.begin(), figures.end());
      text += line_of(fields);
    };
    const std::string stopped(name_of(result.stopped));
    for (const auto& one : result.libraries) {
      const auto& within = one.median_within;
      add(one.library,
          {std::to_string(one.samples.size()), digits(one.seconds.median),
           within ? digits(within->low) : "", within ? digits(within->high) : "",
           digits(one.seconds.low), digits(one.seconds.high), digits(one.speedup),
           digits(one.efficiency), digits(one.predicted), digits(one.ratio), stopped, ""});
    }
    if (result.failure)
      add(result.at.library(), {"0", "", "", "", "", "", "", "", "", "", stopped, *result.failure});
    for (const auto& [rival, reason] : result.missing)
      add(rival, {"0", "", "", "", "", "", "", "", "", "", "failed", reason});
  }
  return text;
}

// Source of the format: Extra-P 4, documentation of its file formats, JSON Lines.
std::string sweep_extra_p(std::span<const sweep_result> results) {
  std::string text;
  for (const auto& result : results) {
    const auto& at = result.at;
    for (const auto& one : result.libraries) {
      std::string name = one.library + "->" + at.program + "->" + at.type + " " + at.distribution +
                         "->" + at.place;
      for (const auto& part : {at.memory, at.pages, at.wait}) name += "->" + part;
      if (at.per_processor != 0) name += "->weak";
      if (at.ranks)
        name += "->" + at.mpi.value_or("") + " " + std::to_string(at.processors_of_rank());
      nlohmann::ordered_json line{{"params", {{"p", at.processors}, {"n", at.n}}},
                                  {"callpath", name},
                                  {"metric", "time"},
                                  {"value", nlohmann::ordered_json::array()}};
      for (const auto& taken : one.samples) line["value"].push_back(taken.seconds);
      text += json_text(line) + "\n";
    }
  }
  return text;
}

}  // namespace pleat::bench
