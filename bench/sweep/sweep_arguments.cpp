// SPDX-License-Identifier: Apache-2.0
#include "sweep_arguments.hpp"

#include <charconv>
#include <cmath>

#include <pleat/runtime/error.hpp>

#include "tool/numbers.hpp"
#include "tool/share.hpp"

namespace pleat::bench {

namespace {

double parsed_number(const std::string& text, const char* option, const char* example) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, value);
  constexpr double most = 1e6;
  if (failure != std::errc{} || end != last || !std::isfinite(value) || value <= 0 || value > most)
    throw usage_error(std::string(option) + ": '" + text +
                      "' is no number above zero, and at most a million; write " + example);
  return value;
}

}  // namespace

sweep_settings settings_of(const sweep_arguments& chosen) {
  sweep_settings settings;
  settings.rule.precision = parse_share(chosen.precision, "--precision", least_share::above_zero);
  settings.rule.time_limit = parsed_number(chosen.time_limit, "--time-limit", "5");
  settings.seconds = parsed_number(chosen.seconds, "--min-time", "0.01");
  settings.rank_patience = parsed_number(chosen.rank_timeout, "--rank-timeout", "300");
  settings.seed = parse_count(chosen.seed, "--seed");
  if (!chosen.repetitions.empty()) {
    settings.rule.repetitions = parse_count(chosen.repetitions, "--repetitions", 1);
    if (*settings.rule.repetitions > 10'000) throw usage_error("--repetitions: at most 10,000");
  }
  return settings;
}

}  // namespace pleat::bench
