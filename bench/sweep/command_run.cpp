// SPDX-License-Identifier: Apache-2.0
#include "command_run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/perf_event.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

#include "measure/clock.hpp"
#include "measure/file_descriptor.hpp"

namespace pleat::bench {
namespace {

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

/// The value of a line `Name:   value` of /proc/PID/status.
std::string status_of(const std::string& status, std::string_view name) {
  const auto at = status.find("\n" + std::string(name) + ":");
  if (at == std::string::npos) return "";
  const auto begin = status.find_first_not_of(" \t", at + name.size() + 2);
  return status.substr(begin, status.find('\n', begin) - begin);
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Adds up the pages of a process by node, from lines with `N0=12 kernelpagesize_kB=4`.
std::map<unsigned, std::uint64_t> bytes_on_nodes(const std::string& maps) {
  std::map<unsigned, std::uint64_t> all;
  std::size_t start = 0;
  while (start < maps.size()) {
    const auto end = std::min(maps.find('\n', start), maps.size());
    const std::string_view line(maps.data() + start, end - start);
    start = end + 1;
    std::map<unsigned, std::uint64_t> pages;
    std::uint64_t kilobytes = 4;
    for (std::size_t at = line.find(' '); at != std::string_view::npos;
         at = line.find(' ', at + 1)) {
      const auto word = line.substr(at + 1, line.find(' ', at + 1) - at - 1);
      const auto equals = word.find('=');
      if (equals == std::string_view::npos) continue;
      const std::uint64_t value = std::strtoull(word.data() + equals + 1, nullptr, 10);
      if (word.starts_with("kernelpagesize_kB"))
        kilobytes = value;
      else if (word.front() == 'N' && equals > 1 && word[1] >= '0' && word[1] <= '9')
        pages[static_cast<unsigned>(std::strtoul(word.data() + 1, nullptr, 10))] = value;
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
    const std::string status = text_of(folder + "/status");
    if (const auto threads = status_of(status, "Threads"); !threads.empty())
      seen.threads =
          std::max(seen.threads, static_cast<unsigned>(std::strtoul(threads.c_str(), nullptr, 10)));
    if (auto pus = status_of(status, "Cpus_allowed_list"); !pus.empty()) seen.pus = std::move(pus);
    auto bytes = bytes_on_nodes(text_of(folder + "/numa_maps"));
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

}  // namespace

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

}  // namespace pleat::bench
