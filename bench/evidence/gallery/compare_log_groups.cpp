// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <vector>

#include "gallery/made_log.hpp"
#include "gallery_benchmark.hpp"
#include "log_check.hpp"

namespace pleat::bench {

void measure_log_groups(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t lines = options.n.value_or(std::size_t{1} << 20);
  const unsigned threads = on.ours.processors();
  const std::string text = gallery::made_log(lines, options.seed);
  const auto facts = facts_of(text);
  std::vector<gallery::page_report> reports;
  const compared_program program{.measure = "requests and failures by page, the slowest twentieth",
                                 .n = lines,
                                 .prepare = [&] { reports.clear(); },
                                 .right = [&] { return reports_right(facts, reports); }};
  comparison compared =
      comparison_of(program, on, options, [&] { reports = gallery::report_pages(on.ours, text); });
  add_openmp(compared, options, program, threads,
             [&](auto workers) { reports = openmp::report_pages(workers, text); });
  add_tbb(compared, options, program, threads,
          [&](auto workers) { reports = onetbb::report_pages(workers, text); });
  run(compared);
}

}  // namespace pleat::bench
