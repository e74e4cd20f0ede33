// SPDX-License-Identifier: Apache-2.0
#include "child_process.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>

namespace pleat::bench {
namespace {

// Used by the signal handlers: lock-free atomics only. `running` is what kill takes: a process, or
// minus a process group.
std::atomic<pid_t> running{0};
std::atomic<int> interruption{0}, handlers{0};
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr std::array passed_on{SIGINT, SIGTERM, SIGHUP, SIGTSTP};
std::array<struct sigaction, passed_on.size()> before{};

void send_to_running(int signal) {
  handlers.fetch_add(1);  // before `running` is read: see child_process::wait
  if (const pid_t child = running.load(); child != 0) ::kill(child, signal);
  handlers.fetch_sub(1);
}

extern "C" void pass_on(int signal) {
  const int number = errno;
  if (signal == SIGTSTP) {
    send_to_running(SIGSTOP);
    static_cast<void>(::raise(SIGSTOP));
  } else {
    interruption.store(signal);
    send_to_running(signal);
  }
  send_to_running(SIGCONT);  // it may have been stopped
  errno = number;
}

std::vector<std::string> merged_environment(const environment_changes& changes) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    if (std::ranges::none_of(changes, [&](const auto& c) { return c.first == name; }))
      merged.emplace_back(text);
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

[[noreturn]] void fail(const std::string& what, int number) {
  throw environment_error(what + ": " + std::generic_category().message(number));
}

}  // namespace

child_process::child_process(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments,
                             const child_options& options)
    : leads_(options.leads) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto variables = merged_environment(options.environment);
  auto argv = pointers_to(words);
  auto envp = pointers_to(variables);

  // Input is written to without SIGPIPE: a socket.
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail("cannot make a connection to a child", errno);
  input_ = file_descriptor(ends[0]);
  const file_descriptor their_input(ends[1]);
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
  output_ = file_descriptor(ends[0]);
  const file_descriptor their_output(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, their_input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, their_output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, options.errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  if (leads_) ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failure =
      ::posix_spawn(&child_, program.c_str(), &actions, &attributes, argv.data(), envp.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw environment_error("cannot start " + program.string() + ": " +
                            std::generic_category().message(failure) + "; install it again");
  running.store(target());
  // One that came before the child was known to the handler.
  if (const int signal = interruption.load(); signal != 0) ::kill(target(), signal);
}

child_process::~child_process() {
  if (child_ == 0) return;
  ::kill(target(), SIGKILL);
  static_cast<void>(wait());
}

bool child_process::write(std::string_view text) {
  while (!text.empty()) {
    const auto count = ::send(input_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void child_process::close_input() { input_ = file_descriptor(); }

bool child_process::read_more() {
  std::array<char, 4096> block{};
  for (;;) {
    if (patience_) {
      constexpr auto most = std::chrono::milliseconds(std::numeric_limits<int>::max());
      pollfd waiting{output_.get(), POLLIN, 0};
      const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(*patience_, most).count()));
      if (ready == 0)
        throw child_silent("said nothing for " + std::to_string(patience_->count()) + " ms");
      if (ready < 0) continue;  // a signal
    }
    const auto count = ::read(output_.get(), block.data(), block.size());
    if (count > 0) unread_.append(block.data(), static_cast<std::size_t>(count));
    if (count >= 0 || errno != EINTR) return count > 0;
  }
}

std::optional<std::string> child_process::read_line() {
  auto end = unread_.find('\n');
  while (end == std::string::npos && read_more()) end = unread_.find('\n');
  if (end == std::string::npos) {
    if (unread_.empty()) return {};
    return std::exchange(unread_, {});
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

std::string child_process::read_rest() {
  while (read_more()) {
  }
  return std::exchange(unread_, {});
}

int child_process::wait() {
  siginfo_t ended{};
  const auto id = static_cast<id_t>(child_);
  while (::waitid(P_PID, id, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  // The process keeps its number until waitpid: nothing is sent to another that has it next.
  running.store(0);
  while (handlers.load() != 0) std::this_thread::yield();
  if (leads_) ::kill(target(), SIGKILL);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_process::end_within(std::chrono::milliseconds patience) {
  close_input();
  for (const int insistence : {SIGTERM, SIGKILL}) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           ended.si_pid == 0 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (ended.si_pid != 0) break;
    ::kill(target(), insistence);
  }
  return wait();
}

child_result run_child(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments,
                       const environment_changes& environment) {
  child_process child(program, arguments, {.environment = environment});
  child.close_input();
  child_result result;
  result.output = child.read_rest();
  result.exit_code = child.wait();
  return result;
}

interruptions_passed_on::interruptions_passed_on() {
  interruption.store(0);
  struct sigaction ours {};
  ours.sa_handler = pass_on;
  for (std::size_t i = 0; i < passed_on.size(); ++i) {
    ::sigaction(passed_on[i], nullptr, &before[i]);
    // A signal that was ignored from the start (nohup) stays ignored.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(passed_on[i], &ours, nullptr);
  }
}

interruptions_passed_on::~interruptions_passed_on() {
  for (std::size_t i = 0; i < passed_on.size(); ++i) ::sigaction(passed_on[i], &before[i], nullptr);
  interruption.store(0);
}

int interruptions_passed_on::signal() { return interruption.load(); }

void end_with_parent(int signal) { static_cast<void>(::prctl(PR_SET_PDEATHSIG, signal)); }

std::filesystem::path this_program() {
  std::error_code no_link;
  const auto linked = std::filesystem::read_symlink("/proc/self/exe", no_link);
  if (!no_link) return linked;
  // Without /proc: what execve was given, relative to the folder that the program was begun in.
  return std::filesystem::canonical(reinterpret_cast<const char*>(::getauxval(AT_EXECFN)));
}

std::filesystem::path companion_program(const std::string& name) {
  const auto folder = this_program().parent_path();
  const auto beside = folder / name;
  const auto installed = (folder / ".." / "libexec" / "pleat" / name).lexically_normal();
  for (const auto& place : {beside, installed}) {
    if (::access(place.c_str(), X_OK) == 0) return place;
  }
  throw environment_error("cannot find " + name + " as " + beside.string() + " or " +
                          installed.string() +
                          "; build the target `tool`, or install pleat with all of it");
}

}  // namespace pleat::bench
