// SPDX-License-Identifier: Apache-2.0
#include "sweep_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "tool/numbers.hpp"

namespace pleat::bench {

using json = nlohmann::ordered_json;

namespace {

double parsed_number(const std::string& text, const char* option, const char* example) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, value);
  if (failure != std::errc{} || end != last || !std::isfinite(value) || value <= 0)
    throw usage_error(std::string(option) + ": '" + text + "' is no number above zero; write " +
                      example);
  return value;
}

// "2%" or "0.02".
double parsed_share(std::string text) {
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.pop_back();
  const double share = parsed_number(text, "--precision", "2%") / (percent ? 100 : 1);
  if (share >= 1)
    throw usage_error("--precision: a share of the median below 100%; write 2% or 0.02");
  return share;
}

}  // namespace

json arguments_json(const sweep_arguments& chosen) {
  json said{{"axes", axes_json(chosen.axes)},
            {"repetitions", chosen.repetitions},
            {"precision", chosen.precision},
            {"time_limit", chosen.time_limit},
            {"min_time", chosen.seconds},
            {"seed", chosen.seed},
            {"outputs", outputs_json(chosen.outputs)}};
  if (chosen.rivals) said["rivals"] = *chosen.rivals;
  return said;
}

sweep_arguments arguments_from(const json& said) {
  sweep_arguments chosen;
  chosen.axes = axes_from(said.at("axes"));
  said.at("repetitions").get_to(chosen.repetitions);
  said.at("precision").get_to(chosen.precision);
  said.at("time_limit").get_to(chosen.time_limit);
  said.at("min_time").get_to(chosen.seconds);
  said.at("seed").get_to(chosen.seed);
  chosen.outputs = outputs_from(said.at("outputs"));
  if (said.contains("rivals")) chosen.rivals = said.at("rivals");
  return chosen;
}

sweep_settings settings_of(const sweep_arguments& chosen) {
  sweep_settings settings;
  settings.rule.precision = parsed_share(chosen.precision);
  settings.rule.time_limit = parsed_number(chosen.time_limit, "--time-limit", "5");
  settings.seconds = parsed_number(chosen.seconds, "--min-time", "0.01");
  settings.seed = parse_count(chosen.seed, "--seed");
  if (!chosen.repetitions.empty()) {
    settings.rule.repetitions = parse_count(chosen.repetitions, "--repetitions", 1);
    if (*settings.rule.repetitions > 10'000) throw usage_error("--repetitions: at most 10,000");
  }
  return settings;
}

}  // namespace pleat::bench
