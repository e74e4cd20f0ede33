// SPDX-License-Identifier: Apache-2.0
#include "machine_arguments.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

#include "machine/environment.hpp"
#include "measure/machine_state.hpp"
#include "terminal.hpp"

namespace pleat::bench {

void machine_arguments::add_to(tool_command& command, const std::string& processors_help) {
  command.add_option("--processors", processors, processors_help, "P");
  command.add_option("--place", place,
                     "Which: compact, spread, scatter, numa:N, p-cores, e-cores, unpinned, "
                     "list:0,2-5; /pu behind it: "
                     "every hardware thread",
                     "PLACE");
}

machine_options machine_arguments::options() const {
  machine_options chosen;
  if (place)
    set_place(chosen, *place);
  else
    chosen = detail::environment::place().value_or(machine_options{.place = placement_request{}});
  chosen.processors = number();
  return chosen;
}

std::optional<unsigned> machine_arguments::number() const {
  if (processors) return parse_processors(*processors);
  return detail::environment::processors();
}

void warn_about(const machine& on) {
  if (on.oversubscribed()) warn(on.placement().warning);
  const auto& seen = on.topology();
  if (!on.oversubscribed() && seen.quota() && seen.available() < seen.allowed_cores())
    warn("the processor quota leaves " + std::to_string(seen.available()) + " of " +
         std::to_string(seen.allowed_cores()) + " cores (" + seen.quota()->source +
         "); raise it to use them all");
  for (const auto& spoiler : spoilers(read_machine_state(), seen.memory_nodes().size()))
    warn(spoiler);
#ifndef NDEBUG
  warn(
      "this is a debug build, its figures mean nothing; configure with -D "
      "CMAKE_BUILD_TYPE=Release");
#endif
}

namespace {

memory_policy::pages size_named(const std::string& text) {
  using pages = memory_policy::pages;
  for (const pages size : {pages::transparent, pages::small, pages::reserved})
    if (text == to_string(size)) return size;
  throw usage_error("--pages: '" + text + "' is no size of pages; known: 4k, thp, hugetlb");
}

}  // namespace

void require_nodes(const memory_policy& policy, const topology& on) {
  using nodes = memory_policy::nodes;
  const unsigned own = on.numa_nodes().front();  // with a second one, there is a remote one
  const bool exists = std::ranges::any_of(on.memory_nodes(), [&](const numa_node& node) {
    if (policy.where == nodes::remote) return !on.is_local(own, node.index);
    if (policy.where == nodes::of_kind) return node.kind == policy.kind;
    return policy.where != nodes::bind || node.index == policy.node;
  });
  if (exists) return;
  throw usage_error("memory " + to_string(policy) +
                    ": there is no such NUMA node; this machine has " +
                    to_string(on.memory_nodes()));
}

void memory_arguments::add_to(tool_command& command) {
  command.add_option(
      "--memory", memory,
      "Where its pages are: first-touch (by the owner; the default), local, "
      "interleave, weighted-interleave, bind:N, dram, hbm, cxl, nvm (the nearest node "
      "of that kind), remote (the farthest node), master (all by processor 0)",
      "POLICY");
  command.add_option("--pages", pages, "How large they are: 4k, thp (the default), hugetlb",
                     "SIZE");
}

memory_policy memory_arguments::policy(const topology& on) const {
  memory_policy chosen;
  if (memory)
    chosen = parse_memory_policy(*memory);
  else
    chosen = detail::environment::memory().value_or(memory_policy{});
  if (pages) {
    const memory_policy::pages size = size_named(*pages);
    const bool sized = memory && memory->find('/') != std::string::npos;
    if (sized && chosen.size != size)
      throw usage_error("--memory " + *memory + " and --pages " + *pages +
                        " are two sizes of pages; leave one of them out");
    chosen.size = size;
  }
  require_nodes(chosen, on);
  return chosen;
}

void topology_arguments::add_to(tool_command& command) {
  auto described =
      command.add_option("--synthetic", synthetic, "A machine of your own making instead");
  described.type_name("\"numa:2 core:4 pu:2\"");
  command.add_option("--xml", xml, "A machine described by lstopo FILE.xml instead", "FILE")
      .excludes(described);
}

topology topology_arguments::topology() const {
  if (synthetic) return pleat::topology::synthetic(*synthetic);
  if (xml) return described_topology(*xml);
  return pleat::topology::host();
}

namespace {

constexpr unsigned longest_seconds = 10;

// Reads a topology and ends the process. The result is dropped, because the parent reads the file
// again and gets the same one.
[[noreturn]] void try_in_child(const std::function<topology()>& read) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM})
    static_cast<void>(std::signal(signal, SIG_DFL));
  const rlimit no_core{0, 0};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &no_core));
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) static_cast<void>(::dup2(nowhere, STDERR_FILENO));
  static_cast<void>(::alarm(longest_seconds));
  try {
    static_cast<void>(read());
  } catch (const std::exception&) {
    // Ignored: the parent gets the same exception.
  }
  ::_exit(0);
}

}  // namespace

topology described_topology(const std::filesystem::path& file) {
  const auto read = [&] { return topology::xml(file); };
  const pid_t child = ::fork();
  if (child < 0)
    throw environment_error("cannot start a process: " + std::generic_category().message(errno) +
                            "; end some others");
  if (child == 0) try_in_child(read);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return read();
  const bool slow = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  throw error("topology file " + file.string() + ": hwloc " +
              (slow ? "does not finish reading it" : "crashes when it reads it") +
              "; it is damaged, write it again with lstopo machine.xml");
}

}  // namespace pleat::bench
