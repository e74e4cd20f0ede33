// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <vector>

#include "gallery/made_log.hpp"
#include "gallery/rivals/gallery_rivals.hpp"
#include "gallery_benchmark.hpp"
#include "log_check.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {

void measure_log_groups(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t lines = options.n.value_or(std::size_t{1} << 20);
  [[maybe_unused]] const unsigned threads = on.ours.processors();
  const std::string text = gallery::made_log(lines, options.seed);
  const auto facts = facts_of(text);
  std::vector<gallery::page_report> reports;
  const compared_program program{.measure = "requests and failures by page, the slowest twentieth",
                                 .n = lines,
                                 .prepare = [&] { reports.clear(); },
                                 .right = [&] { return reports_right(facts, reports); }};
  comparison compared =
      comparison_of(program, on, options, [&] { reports = gallery::report_pages(on.ours, text); });
  add_rival(compared, options, program, "openmp", [&] {
#if PLEAT_WITH_OPENMP
    reports = openmp::report_pages(threads, text);
#endif
  });
  add_rival(compared, options, program, "tbb", [&] {
#if PLEAT_WITH_TBB
    reports = onetbb::report_pages(threads, text);
#endif
  });
  run(compared);
}

}  // namespace pleat::bench
