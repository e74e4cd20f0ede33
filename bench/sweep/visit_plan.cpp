// SPDX-License-Identifier: Apache-2.0
#include "visit_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "measure/statistics.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t least_visits = 2;

// The last `rounds` of a case.
bool precise(const case_record& record, const repetition_rule& rule, std::size_t rounds) {
  const auto width = relative_interval(record, rounds);
  return width && *width <= rule.precision;
}

}  // namespace

std::string_view name_of(stop why) {
  constexpr std::array<std::string_view, 5> names{"interrupted", "precision", "time-limit",
                                                  "repetitions", "failed"};
  return names[static_cast<std::size_t>(why)];
}

std::optional<double> relative_interval(std::span<const double> samples) {
  const auto bounds = median_interval(samples);
  if (!bounds) return {};
  const double median = quantile(samples, 0.5);
  return median == 0 ? 0 : (bounds->high - bounds->low) / 2 / median;
}

std::optional<double> relative_interval(const case_record& record, std::size_t rounds) {
  if (record.libraries.empty()) return {};
  double widest = 0;
  for (const auto& one : record.libraries) {
    const auto all = one.seconds();
    const auto width = relative_interval(std::span(all).last(std::min(rounds, all.size())));
    if (!width) return {};
    widest = std::max(widest, *width);
  }
  return widest;
}

std::optional<std::size_t> visit_plan::next(std::span<const case_record> records) {
  auto open = [&](std::size_t i) { return stopped(records[i]) == stop::not_yet; };
  std::erase_if(tour_, [&](std::size_t i) { return !open(i); });
  if (tour_.empty()) {
    // The least visited first: a resumed sweep ends the tour that was interrupted.
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < records.size(); ++i)
      if (open(i)) least = std::min(least, records[i].visits);
    for (std::size_t i = 0; i < records.size(); ++i)
      if (open(i) && records[i].visits == least) tour_.push_back(i);
    std::ranges::shuffle(tour_, random_);
  }
  if (tour_.empty()) return {};
  const std::size_t chosen = tour_.back();
  tour_.pop_back();
  return chosen;
}

bool visit_plan::visit_done(const case_record& record) const {
  if (rule_.repetitions && record.rounds() >= *rule_.repetitions) return true;
  if (record.visit_samples == 0) return false;
  if (rule_.repetitions)
    return record.visits == 1 && record.rounds() >= (*rule_.repetitions + 1) / 2;
  return record.visit_seconds >= rule_.time_limit / 2 || record.seconds >= rule_.time_limit ||
         precise(record, rule_, record.visit_samples);
}

stop visit_plan::stopped(const case_record& record) const {
  if (record.failure) return stop::failed;
  if (rule_.repetitions)
    return record.rounds() >= *rule_.repetitions ? stop::repetitions : stop::not_yet;
  if (record.rounds() == 0) return stop::not_yet;
  if (record.visits >= least_visits && precise(record, rule_, record.rounds()))
    return stop::precision;
  const double another = record.visits == 1 ? record.visit_seconds / 2 : 0;
  return record.seconds + another >= rule_.time_limit ? stop::time_limit : stop::not_yet;
}

}  // namespace pleat::bench
