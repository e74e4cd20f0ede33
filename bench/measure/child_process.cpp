// SPDX-License-Identifier: Apache-2.0
#include "child_process.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

// Used by the signal handler: lock-free atomics only.
std::atomic<pid_t> running{0};
std::atomic<int> interruption{0};
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr std::array interrupting{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, interrupting.size()> before{};

extern "C" void pass_on(int signal) {
  interruption.store(signal);
  if (const pid_t child = running.load(); child > 0) ::kill(child, signal);
}

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    if (std::ranges::none_of(changes, [&](const auto& c) { return c.first == name; })) {
      merged.emplace_back(text);
    }
  }
  for (const auto& [name, value] : changes) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string read_to_end(int descriptor) {
  std::string text;
  std::array<char, 4096> block{};
  for (;;) {
    const auto count = ::read(descriptor, block.data(), block.size());
    if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

child_result run_child(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments,
                       const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto variables = merged_environment(environment);
  auto argv = pointers_to(words);
  auto envp = pointers_to(variables);

  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    throw environment_error("cannot make a pipe: " + std::generic_category().message(errno));
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failure =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (failure != 0) {
    ::close(pipe[0]);
    throw environment_error("cannot start " + program.string() + ": " +
                            std::generic_category().message(failure) + "; install pleat again");
  }
  running.store(child);
  // One that came before the child was known to the handler.
  if (const int signal = interruption.load(); signal != 0) ::kill(child, signal);
  child_result result;
  result.output = read_to_end(pipe[0]);
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running.store(0);
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

interruptions_passed_on::interruptions_passed_on() {
  interruption.store(0);
  for (std::size_t i = 0; i < interrupting.size(); ++i) {
    struct sigaction ours {};
    ours.sa_handler = pass_on;
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(interrupting[i], nullptr, &before[i]);
    // What somebody chose to ignore (nohup) stays ignored.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(interrupting[i], &ours, nullptr);
  }
}

interruptions_passed_on::~interruptions_passed_on() {
  for (std::size_t i = 0; i < interrupting.size(); ++i)
    ::sigaction(interrupting[i], &before[i], nullptr);
  interruption.store(0);
}

int interruptions_passed_on::signal() { return interruption.load(); }

void end_with_parent() { static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGTERM)); }

std::filesystem::path companion_program(const std::string& name) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto beside = folder / name;
  const auto installed = (folder / ".." / "libexec" / "pleat" / name).lexically_normal();
  for (const auto& place : {beside, installed}) {
    if (::access(place.c_str(), X_OK) == 0) return place;
  }
  throw environment_error("cannot find " + name + " as " + beside.string() + " or " +
                          installed.string() + "; build or install pleat with its tool complete");
}

}  // namespace pleat::bench
