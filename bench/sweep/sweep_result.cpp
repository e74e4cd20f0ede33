// SPDX-License-Identifier: Apache-2.0
#include "sweep_result.hpp"

#include <algorithm>

#include "predictor.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

library_result measured(const library_samples& taken) {
  const auto seconds = taken.seconds();
  return {taken.library, taken.samples, summarise(seconds), median_interval(seconds)};
}

const library_result* find(const sweep_result& result, const std::string& library) {
  const auto found = std::ranges::find(result.libraries, library, &library_result::library);
  return found == result.libraries.end() ? nullptr : &*found;
}

double steps(const sweep_case& at) { return operation_of(at).steps; }

}  // namespace

std::vector<sweep_result> results_of(std::span<const case_record> records,
                                     const repetition_rule& rule) {
  const visit_plan plan(rule, 0);
  std::vector<sweep_result> results;
  for (const auto& record : records) {
    if (!record.failure && record.rounds() == 0) continue;
    results.push_back({record.at,
                       {},
                       plan.stopped(record),
                       record.failure,
                       record.missing,
                       record.memory_pages,
                       record.ran});
    for (const auto& taken : record.libraries) results.back().libraries.push_back(measured(taken));
  }
  predictor model;
  for (auto& result : results) {
    const auto base = std::ranges::find(results, result.at.on_one(), &sweep_result::at);
    const auto* const ours = find(result, result.at.library());
    for (auto& one : result.libraries) {
      if (&one != ours && ours != nullptr) one.ratio = one.seconds.median / ours->seconds.median;
      const auto* const alone = base == results.end() ? nullptr : find(*base, one.library);
      if (alone == nullptr) continue;
      // A transform of one point does nothing.
      const double more_work = result.at.n == base->at.n ? 1 : steps(result.at) / steps(base->at);
      const double seconds_alone = alone->seconds.median * more_work;
      one.speedup = seconds_alone / one.seconds.median;
      one.efficiency = *one.speedup / result.at.processors;
      if (&one != ours || result.at.command) continue;
      const auto record_of = [&](const sweep_case& at) -> const case_record& {
        return *std::ranges::find(records, at, &case_record::at);
      };
      const auto& record = record_of(result.at);
      one.predicted =
          record_of(base->at).predicted ? record.predicted : model.seconds(record, seconds_alone);
    }
  }
  return results;
}

}  // namespace pleat::bench
