// SPDX-License-Identifier: Apache-2.0
#include "measure_case.hpp"

#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "case_costs.hpp"
#include "case_request.hpp"
#include "fields_json.hpp"
#include "measure/array_pages.hpp"
#include "measure_commands.hpp"
#include "sample_stream.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

// Counts what a run costs in the model, by a machine that traces. Nothing is counted where a run
// takes a single virtual processor.
void count(prepared_program& program) {
  machine counting({.trace = tracing{}});
  const run_report report = program.run_on(counting);
  const auto& costs = report.costs;
  json event{{"costs", costs ? fields_json(costs_of(*costs, program.element_bytes)) : json()}};
  if (!report.uncounted.empty()) event["reason"] = std::string(report.uncounted);
  print_event(event);
}

void measure(const case_request& request) {
  if (!request.commands.lines.empty()) return measure_commands(request);
  machine on(request.at.options());
  const auto program = find_sweep_program(request.at.program).prepare(on, request.at);
  if (request.count) return count(*program);
  const std::array ours{candidate{"pleat",
                                  [&] {
                                    static_cast<void>(program->sample());
                                    program->verify();
                                  },
                                  [&] { return program->sample(); }}};
  stream_samples(ours, {.seconds = request.seconds, .seed = request.seed}, json::object());
  print_event({{"memory_pages", memory_pages_json(checked_pages(on, program->arrays()))}});
}

}  // namespace

int measure_case(const std::string& text) { return answer_request(text, measure); }

}  // namespace pleat::bench
