// SPDX-License-Identifier: Apache-2.0
#include "measure_rivals_case.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "measure/array_pages.hpp"
#include "measure/benchmark.hpp"
#include "rivals.hpp"
#include "rivals_thread.hpp"
#include "sweep/case_request.hpp"
#include "sweep/sample_stream.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

const benchmark& benchmark_of(const std::string& program) {
  const auto found = std::ranges::find(all_benchmarks(), program, &benchmark::name);
  if (found == all_benchmarks().end())
    throw usage_error("--rivals: " + program + " is not compared with others; leave it out");
  return *found;
}

json missing_from(const comparison& compared) {
  json missing = json::array();
  for (const auto& name : compared.missing)
    missing.push_back({name, "this build does not have it; apt-get install " +
                                 std::string(rival_named(name).package) + ", then build again"});
  for (const auto& [name, reason] : compared.failed) missing.push_back({name, reason});
  return missing;
}

void measure(const case_request& request) {
  const auto& measured = benchmark_of(request.at.program);
  benchmark_options options;
  options.n = request.at.n;
  options.type = request.at.type;
  options.distribution = request.at.distribution;
  options.seed = request.seed;
  options.rivals = request.rivals;
  check_options(measured, options, measured.has_keys);

  machine ours(request.at.options());
  testbed on{ours, request.at.options(), {}};
  for (const auto& p : ours.placement().processors) on.pus.push_back(p.pu);
  const rivals_thread like_ours(on);

  bool first = true;
  measured.measure(on, options, [&](const comparison& compared) {
    // A program of the sweep is one comparison; of what has several, the first is meant.
    if (!std::exchange(first, false)) return;
    std::vector<candidate> candidates{compared.ours};
    candidates.front().name = "pleat";
    candidates.insert(candidates.end(), compared.rivals.begin(), compared.rivals.end());
    stream_samples(candidates,
                   {.seconds = request.seconds, .seed = request.seed, .pace = compared.pace},
                   {{"missing", missing_from(compared)}});
    print_event({{"memory_pages", memory_pages_json(checked_pages(ours, compared.arrays))}});
  });
}

}  // namespace

int measure_rivals_case(const std::string& text) { return answer_request(text, measure); }

}  // namespace pleat::bench
