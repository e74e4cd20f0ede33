// SPDX-License-Identifier: Apache-2.0
#include "sweep_progress.hpp"

#include <algorithm>
#include <cmath>

#include "tool/readable.hpp"

namespace pleat::bench {
namespace {

std::string title(std::size_t cases) {
  return "sweeping " + std::to_string(cases) + (cases == 1 ? " case" : " cases");
}

std::string readable_seconds(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  return whole < 120 ? std::to_string(whole) + " s" : std::to_string((whole + 59) / 60) + " min";
}

}  // namespace

std::optional<double> seconds_left(std::span<const case_record> records,
                                   const repetition_rule& rule, const visit_plan& plan) {
  double left = 0;
  for (const auto& one : records) {
    if (plan.stopped(one) != stop::not_yet) continue;
    if (!rule.repetitions) {
      left += std::max(rule.time_limit - one.seconds, 0.0);
    } else {
      if (one.rounds() == 0) return {};
      const auto done = static_cast<double>(one.rounds());
      left += one.seconds / done * (static_cast<double>(*rule.repetitions) - done);
    }
  }
  return left;
}

sweep_progress::sweep_progress(std::size_t cases, const repetition_rule& rule)
    : rule_(rule), bar_(title(cases)), last_line_(std::chrono::steady_clock::now()) {}

void sweep_progress::update(std::span<const case_record> records, const case_record& at,
                            const visit_plan& plan) {
  constexpr std::chrono::seconds between_lines(10);
  const auto done = static_cast<std::size_t>(std::ranges::count_if(
      records, [&](const case_record& one) { return plan.stopped(one) != stop::not_yet; }));
  std::string text = std::to_string(done) + " done";
  if (const auto left = seconds_left(records, rule_, plan))
    text += ", at most " + readable_seconds(*left) + " left";
  text += ": " + at.at.name();
  if (const auto width = relative_interval(at, at.rounds()))
    text += " ± " + readable_number(100 * *width) + " %";
  bar_.update(done, records.size(), text);
  const auto now = std::chrono::steady_clock::now();
  if (stderr_columns() || now - last_line_ < between_lines) return;
  last_line_ = now;
  note(title(records.size()) + ": " + text);
}

}  // namespace pleat::bench
