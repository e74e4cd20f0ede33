// SPDX-License-Identifier: Apache-2.0
#include "described_topology.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

constexpr unsigned longest_seconds = 10;

// Reads a topology and ends: whatever hwloc says, the parent will hear it again.
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
    // The parent gets the same exception.
  }
  ::_exit(0);
}

// Throws an error that names the source, with the advice, if hwloc does not survive reading it.
void survive(const std::function<topology()>& read, const std::string& source,
             const std::string& advice) {
  const pid_t child = ::fork();
  if (child < 0)
    throw environment_error("cannot start a process: " + std::generic_category().message(errno) +
                            "; end some others");
  if (child == 0) try_in_child(read);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return;
  const bool slow = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  throw error(source + ": hwloc " +
              (slow ? "does not finish reading it" : "crashes when it reads it") + "; " + advice);
}

}  // namespace

topology described_topology(const std::filesystem::path& file) {
  const auto read = [&] { return topology::xml(file); };
  survive(read, "topology file " + file.string(),
          "it is damaged, write it again with lstopo machine.xml");
  return read();
}

void check_described_host() {
  std::string given;
  for (const char* name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"})
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0')
      given += (given.empty() ? "" : " ") + std::string(name) + "=" + value;
  if (given.empty()) return;
  survive([] { return topology::load_host(); }, "the machine of " + given,
          "unset the variable or describe another machine");
}

}  // namespace pleat::bench
