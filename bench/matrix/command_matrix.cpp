// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "machine/environment.hpp"
#include "matrix_report.hpp"
#include "measure/machine_state.hpp"
#include "measure/run_context.hpp"
#include "report/json_file.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"

namespace pleat::bench {
namespace {

struct matrix_arguments {
  machine_arguments machine;
  double time_limit = 60;
  bool json = false;

  // Every hardware thread, unless somebody asked for something else.
  [[nodiscard]] machine_options options() const {
    machine_options chosen = machine.options();
    if (!machine.place && !detail::environment::place()) chosen.place->every_pu = true;
    return chosen;
  }
};

void check(const matrix_arguments& chosen) {
  constexpr double longest = 1e6;
  if (!(chosen.time_limit > 0 && chosen.time_limit <= longest))
    throw usage_error("--time-limit: seconds above 0, at most 1,000,000");
}

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g s", seconds);
  return text.data();
}

measured_machine measured(const matrix_arguments& chosen, const machine& on) {
  const auto processors = on.processors();
  progress_bar bar("measuring " + std::to_string(processors) +
                   (processors == 1 ? " processor" : " processors") + ", at most " +
                   seconds_text(chosen.time_limit));
  return measure_matrices(on.topology(), on.placement().processors, chosen.time_limit,
                          [&](const char* what, std::size_t done, std::size_t planned) {
                            bar.update(done, planned, what);
                          });
}

void measure(const matrix_arguments& chosen) {
  check(chosen);
  const auto options = chosen.options();
  machine on(options);
  if (on.oversubscribed())
    throw usage_error(on.placement().warning + "; what shares a PU has no latency to measure");
  warn_about(on);
  nlohmann::ordered_json document{{"version", PLEAT_VERSION},
                                  {"context", run_context(on, options)},
                                  {"time_limit_s", chosen.time_limit}};
  const machine_watch watch(on);
  const auto found = measured(chosen, on);
  watch.finish(document["context"]);
  if (const auto coarse = what_is_coarse(found); !coarse.empty())
    warn("the time limit of " + seconds_text(chosen.time_limit) + " was reached: " + coarse +
         "; give a longer --time-limit or fewer --processors");
  const heat_map_look look{!stdout_emphasis().bold.empty(), stdout_columns()};
  document.update(matrix_json(on.topology(), found));
  print_data(chosen.json ? json_text(document, 2) + "\n" : matrix_text(on.topology(), found, look));
  const bool any = std::ranges::any_of(found.matrices, [](const measured_matrix& one) {
    return std::ranges::any_of(one.cells, [](const auto& cell) { return cell.has_value(); });
  });
  if (!any && !found.matrices.empty())
    throw error("nothing was measured within " + seconds_text(chosen.time_limit) +
                "; give a longer --time-limit or fewer --processors");
}

}  // namespace

void add_matrix_command(tool_command& tool) {
  auto chosen = std::make_shared<matrix_arguments>();
  auto command = add_study(tool, "matrix");
  chosen->machine.add_to(command);
  command.add_option("--time-limit", chosen->time_limit,
                     "Seconds after which no sample begins; half of them at most go to pairs of "
                     "processors",
                     "S");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(R"(Measured are
  - between every two processors (hardware threads, unless --place says otherwise): the time a
    cache line takes, half of a round trip; hardware threads of one core are told apart
  - between the cores of every NUMA node and the memory of every node: the bandwidth of reading,
    the latency of a read, and that latency while the node's other cores read as fast as they can

Figures are medians of 15 samples each, taken in random order, with intervals of 95 % that assume
nothing of how samples are distributed. A time limit that is too short leaves fewer samples, or
pairs without any, and says so.

Examples:
  pleat matrix
  pleat matrix --place numa:0 --json > matrix.json)");
  command.callback([chosen] { measure(*chosen); });
}

}  // namespace pleat::bench
