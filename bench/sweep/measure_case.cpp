// SPDX-License-Identifier: Apache-2.0
#include "measure_case.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "case_costs.hpp"
#include "case_request.hpp"
#include "command_run.hpp"
#include "fields_json.hpp"
#include "host/binding.hpp"
#include "measure/array_pages.hpp"
#include "measure/child_process.hpp"
#include "memory/memory_binding.hpp"
#include "printed_number.hpp"
#include "sample_stream.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

/// Nodes that a bound command's memory must be on; empty if it may be anywhere.
std::vector<unsigned> bind_to(const sweep_case& at) {
  const machine_options options = at.options();
  const placement where = place(topology::host(), *options.place, options.processors);
  std::vector<unsigned> pus;
  for (const auto& one : where.processors) pus.push_back(one.pu);
  if (options.workers != workers::free) detail::affinity::of(pus).apply();
  if (options.memory->size == memory_policy::pages::small &&
      ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
    throw environment_error("the kernel cannot keep a command to small pages; leave --pages out");
  const auto policies =
      detail::page_placement::of_workers(*options.memory, topology::host(), where);
  if (policies.empty()) return {};
  policies.front().apply();
  return policies.front().required();
}

// Sets what a command inherits: its program is looked for along PATH of this environment.
void set_environment(const std::vector<std::string>& changes) {
  for (const auto& one : changes) {
    const auto equals = one.find('=');
    ::setenv(one.substr(0, equals).c_str(), one.c_str() + equals + 1, 1);
  }
}

extern "C" void end_group(int) { ::kill(0, SIGKILL); }

// Ends the commands and what they have started with the sweep: `pleat sweep` puts this process into
// a group of its own. SIGKILL would end this process alone.
void end_all_with_sweep() {
  if (::getpgrp() != ::getpid()) return;
  struct sigaction ending {};
  ending.sa_handler = end_group;
  ::sigaction(SIGTERM, &ending, nullptr);
  end_with_parent(SIGTERM);
}

class measured_commands {
 public:
  explicit measured_commands(const case_commands& commands) : commands_(commands) {
    if (!is_word()) printed_.emplace(commands.measure);
  }

  /// Measures a run: seconds, or another number as if it were seconds.
  [[nodiscard]] double sample(const std::vector<std::string>& line, command_seen* seen) const {
    const command_run run = run_command({line.begin() + 1, line.end()}, seen);
    if (commands_.measure == "elapsed") return run.seconds;
    if (commands_.measure == "cpu") return std::max(run.cpu_seconds, 1e-9);
    if (commands_.measure == "memory") return run.peak_bytes;
    const double number = printed_->last_in(run.output);
    return commands_.inverse ? 1 / number : number * commands_.unit_seconds;
  }

 private:
  [[nodiscard]] bool is_word() const {
    return commands_.measure == "elapsed" || commands_.measure == "cpu" ||
           commands_.measure == "memory";
  }
  const case_commands& commands_;
  std::optional<printed_number> printed_;
};

/// Measures the commands of a case in turns, as sample_stream.hpp says, on the processors and with
/// the memory policy of the case and in its environment, which every run inherits. The first run of
/// each is looked at while it lasts: its threads, the processors it may use, its migrations, the
/// nodes of its pages.
///
/// Throws: pleat::error if a command fails, or prints no number that it should; what binds throws.
void measure_commands(const case_request& request) {
  end_all_with_sweep();
  const std::vector<unsigned> required = bind_to(request.at);
  set_environment(request.commands.environment);
  const measured_commands measured(request.commands);
  command_seen seen;
  std::vector<candidate> candidates;
  for (const auto& line : request.commands.lines) {
    const bool first = candidates.empty();
    candidates.push_back({line.front(),
                          [&measured, &line, &seen, first] {
                            static_cast<void>(measured.sample(line, first ? &seen : nullptr));
                          },
                          [&measured, &line] { return measured.sample(line, nullptr); }});
  }
  // Samples are runs, however short, each a process: files are in the page cache after the first
  // one, and nothing else gets warm.
  stream_samples(candidates, {.seconds = 0, .seed = request.seed, .warm_up = false},
                 json::object());
  auto on_node = json::object();
  std::uint64_t astray = 0;
  constexpr std::uint64_t page = 4096;
  for (const auto& [node, bytes] : seen.bytes_on_node) {
    on_node[std::to_string(node)] = bytes / page;
    if (!required.empty() && std::ranges::find(required, node) == required.end())
      astray += bytes / page;
  }
  print_event({{"ran",
                {{"threads", seen.threads},
                 {"pus", seen.pus},
                 {"migrations", seen.migrations ? json(*seen.migrations) : json()}}},
               {"memory_pages", seen.bytes_on_node.empty() ? json()
                                                           : json{{"page_bytes", page},
                                                                  {"on_node", on_node},
                                                                  {"absent", 0},
                                                                  {"astray", astray}}}});
}

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
