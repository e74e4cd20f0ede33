// SPDX-License-Identifier: Apache-2.0
#include "topology_arguments.hpp"

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

namespace pleat::bench {

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
