// SPDX-License-Identifier: Apache-2.0
#include "timeline_file.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace pleat::bench {
namespace {

using nlohmann::ordered_json;

constexpr int process = 1;

ordered_json named(const char* what, std::size_t row, const std::string& name) {
  return {{"ph", "M"}, {"pid", process}, {"tid", row}, {"name", what}, {"args", {{"name", name}}}};
}

ordered_json event(std::size_t row, const char* name, double begin, double end) {
  constexpr double microseconds = 1e6;
  return {{"ph", "X"},
          {"pid", process},
          {"tid", row},
          {"name", name},
          {"ts", begin * microseconds},
          {"dur", (end - begin) * microseconds}};
}

/// The row's events, in their order: each span, and before it the computation since the last one.
void add_row(ordered_json& events, std::size_t row, const run_report& report) {
  const processor_times& times = report.times[row];
  const double end = times.first + times.computation + times.waiting + times.communication;
  double since = times.first;
  const auto compute_until = [&](double until) {
    if (until > since) events.push_back(event(row, "computation", since, until));
  };
  for (const timeline_span& span : report.timeline[row]) {
    compute_until(span.begin);
    auto one = event(row, span.what == activity::waiting ? "waiting" : "communication", span.begin,
                     span.end);
    if (span.label < report.supersteps.size()) one["args"] = {{"label", span.label}};
    events.push_back(std::move(one));
    since = span.end;
  }
  compute_until(end);
}

}  // namespace

std::string timeline_json(const run_report& report, const std::string& program,
                          const memory_policy& memory, const std::optional<array_pages>& pages) {
  auto events = ordered_json::array();
  events.push_back(named("process_name", 0, "pleat: " + program));
  for (std::size_t row = 0; row < report.timeline.size(); ++row) {
    events.push_back(named(
        "thread_name", row,
        "processor " + std::to_string(row) + ", PU " + std::to_string(report.bindings[row].pu)));
    add_row(events, row, report);
  }
  const ordered_json document{{"displayTimeUnit", "ns"},
                              {"otherData",
                               {{"memory", nodes_text(memory)},
                                {"pages", to_string(memory.size)},
                                {"memory_pages", memory_pages_json(pages)}}},
                              {"traceEvents", std::move(events)}};
  return document.dump();
}

}  // namespace pleat::bench
