// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/perf_event.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "case_record.hpp"
#include "case_request.hpp"
#include "contention.hpp"
#include "fields_json.hpp"
#include "host/binding.hpp"
#include "measure/big_block.hpp"
#include "measure/child_process.hpp"
#include "measure/clock.hpp"
#include "measure/machine_state.hpp"
#include "memory/memory_binding.hpp"
#include "sweep_axes.hpp"
#include "tool/sweep_program.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

/// Observations of a command while it ran, by the kernel's counters; what the kernel does not tell
/// is none.
struct command_seen {
  unsigned threads = 0;                          ///< the most at once
  std::string pus;                               ///< on which it may run, as "0-1"
  std::optional<std::uint64_t> migrations = {};  ///< of all its threads
  std::map<unsigned, std::uint64_t> bytes_on_node = {};
};

/// Run of a command that has ended.
struct command_run {
  double seconds = 0;      ///< from the start of its process to its end
  double cpu_seconds = 0;  ///< of all its threads and of children it waited for
  double peak_bytes = 0;   ///< of memory, the largest of these processes
  std::string output;      ///< standard output and standard error
};

/// Counter of migrations of a process and of all that it starts; -1 if the kernel has none for us.
int count_migrations(pid_t process) {
  perf_event_attr asked{};
  asked.type = PERF_TYPE_SOFTWARE;
  asked.size = sizeof asked;
  asked.config = PERF_COUNT_SW_CPU_MIGRATIONS;
  asked.inherit = 1;
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &asked, process, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

/// Adds up the pages of a process by node, from lines with `N0=12 kernelpagesize_kB=4`.
std::map<unsigned, std::uint64_t> bytes_on_nodes(const std::string& maps) {
  std::map<unsigned, std::uint64_t> all;
  std::ifstream in(maps);
  for (std::string line; std::getline(in, line);) {
    std::map<unsigned, std::uint64_t> pages;
    std::uint64_t kilobytes = 4;
    for (const std::string_view word : words_of(line)) {
      const auto equals = std::min(word.find('='), word.size() - 1);
      const auto value = number_in<std::uint64_t>(word.substr(equals + 1));
      const auto node = number_in<unsigned>(word.substr(1, equals - 1));
      if (value && word.starts_with("kernelpagesize_kB="))
        kilobytes = *value;
      else if (value && node && word.front() == 'N')
        pages[*node] = *value;
    }
    for (const auto& [node, count] : pages) all[node] += count * kilobytes * 1024;
  }
  return all;
}

/// Looks at a process until it has ended, ever less often.
void watch(pid_t process, int migrations, command_seen& seen) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::chrono::milliseconds rest(1);
  constexpr std::chrono::milliseconds longest(100);
  for (;;) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid != 0)
      break;
    if (const auto threads = value_of(folder + "/status", "Threads"))
      seen.threads = std::max(seen.threads, number_in<unsigned>(*threads).value_or(0));
    if (auto pus = value_of(folder + "/status", "Cpus_allowed_list")) seen.pus = *std::move(pus);
    auto bytes = bytes_on_nodes(folder + "/numa_maps");
    const auto sum = [](const auto& all) {
      std::uint64_t total = 0;
      for (const auto& one : all) total += one.second;
      return total;
    };
    if (sum(bytes) > sum(seen.bytes_on_node)) seen.bytes_on_node = std::move(bytes);
    std::this_thread::sleep_for(rest);
    rest = std::min(2 * rest, longest);
  }
  std::uint64_t count = 0;
  if (migrations >= 0 && ::read(migrations, &count, sizeof count) == sizeof count)
    seen.migrations = count;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::string last_line(const std::string& output) {
  const auto end = output.find_last_not_of("\n\r ");
  if (end == std::string::npos) return "";
  const auto start = output.find_last_of('\n', end);
  constexpr std::size_t most = 200;
  return ": " +
         output.substr(start == std::string::npos ? 0 : start + 1,
                       std::min(most, end - (start == std::string::npos ? 0 : start + 1) + 1));
}

/// Runs a command to its end, with nothing to read. The process inherits the affinity and the
/// memory policy of the caller, and ends with it. If `seen` is not null, looks at it meanwhile,
/// which costs time.
/// Throws: pleat::environment_error if it cannot be started; pleat::error if it does not end with
/// exit code 0, with the last line that it has printed.
command_run run_command(const std::vector<std::string>& words, command_seen* seen) {
  const file_descriptor output(::memfd_create("output", MFD_CLOEXEC));
  const file_descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (output.get() < 0 || nothing.get() < 0)
    throw environment_error("cannot keep what " + words.front() +
                            " prints: " + std::strerror(errno));
  const auto arguments = pointers_to(words);
  const pid_t parent = ::getpid();
  volatile int failure = 0;  // of the child, which shares this memory until it is another program
  const auto start = benchmark_clock::now();
  const pid_t process = ::vfork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent && ::dup2(nothing.get(), STDIN_FILENO) >= 0 &&
        ::dup2(output.get(), STDOUT_FILENO) >= 0 && ::dup2(output.get(), STDERR_FILENO) >= 0)
      ::execvp(words.front().c_str(), arguments.data());
    failure = errno;
    ::_exit(127);
  }
  if (process < 0)
    throw environment_error("cannot start " + words.front() + ": " + std::strerror(errno));
  if (seen != nullptr && failure == 0) {
    const file_descriptor migrations(count_migrations(process));
    watch(process, migrations.get(), *seen);
  }
  int status = 0;
  rusage used{};
  while (::wait4(process, &status, 0, &used) < 0 && errno == EINTR) {
  }
  command_run run{seconds_since(start),
                  seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
                  1024 * static_cast<double>(used.ru_maxrss),
                  {}};
  if (failure != 0)
    throw environment_error("cannot start " + words.front() + ": " + std::strerror(failure) +
                            "; write its path, or add its folder to PATH");
  std::array<char, 1 << 14> part{};
  ::lseek(output.get(), 0, SEEK_SET);
  for (ssize_t count = 0; (count = ::read(output.get(), part.data(), part.size())) > 0;)
    run.output.append(part.data(), static_cast<std::size_t>(count));
  if (WIFSIGNALED(status))
    throw error(words.front() + " was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                ::strsignal(WTERMSIG(status)) + ")" + last_line(run.output));
  if (WEXITSTATUS(status) != 0)
    throw error(words.front() + " ended with exit code " + std::to_string(WEXITSTATUS(status)) +
                last_line(run.output));
  return run;
}

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

// Counts what a run costs in the model, by a machine that traces, and measures what its processors
// have in common. Nothing is counted where a run takes a single virtual processor.
void count(const case_request& request) {
  json event{{"costs", nullptr}};
  std::optional<case_costs> costs;
  {  // its data go before those of contention come
    machine on(request.at.options());
    machine counting({.trace = tracing{}});
    const auto program = find_sweep_program(request.at.program).prepare(on, request.at);
    const run_report report = program.run_on(counting);
    if (report.costs) costs = costs_of(*report.costs, program.element_bytes);
    if (!report.uncounted.empty()) event["reason"] = std::string(report.uncounted);
  }
  if (costs) {
    costs->contention = contention(request.at, request.seconds);
    event["costs"] = fields_json(*costs);
  }
  print_event(event);
}

void measure(const case_request& request) {
  if (!request.commands.lines.empty()) return measure_commands(request);
  if (request.count) return count(request);
  machine on(request.at.options());
  const auto program = find_sweep_program(request.at.program).prepare(on, request.at);
  const std::array ours{candidate{"pleat",
                                  [&] {
                                    static_cast<void>(program.sample());
                                    program.verify();
                                  },
                                  program.sample}};
  stream_samples(ours, {.seconds = request.seconds, .seed = request.seed}, json::object());
  print_event({{"memory_pages", memory_pages_json(checked_pages(on, program.arrays))}});
}

}  // namespace

int measure_case(const std::string& text) { return answer_request(text, measure); }

}  // namespace pleat::bench
