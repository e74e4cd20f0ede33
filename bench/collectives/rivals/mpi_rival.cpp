// SPDX-License-Identifier: Apache-2.0
#include "mpi_rival.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <set>
#include <spawn.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

using clock = std::chrono::steady_clock;

// Ranks bind themselves (to what the launcher cannot know), and they are all here.
std::vector<std::string> command_line(const mpi_launch& how, std::span<const unsigned> pus) {
  std::vector<std::string> words{how.launcher.string()};
  auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  const std::string ranks = std::to_string(pus.size());
  const bool crowded = std::set<unsigned>(pus.begin(), pus.end()).size() < pus.size();
  switch (how.what) {
    case mpi_launch::kind::openmpi:
      // Slots for all ranks: with fewer, Open MPI takes the host for oversubscribed and lets ranks
      // yield.
      add({"--host"});
      words.push_back("localhost:" + ranks);
      add({"--bind-to", "none"});
      if (crowded) add({"--mca", "mpi_yield_when_idle", "1"});
      if (::geteuid() == 0) add({"--allow-run-as-root"});
      break;
    case mpi_launch::kind::mpich:
      add({"-launcher", "fork", "-host", "localhost", "-bind-to", "none"});
      break;
  }
  add({"-n"});
  words.push_back(ranks);
  words.push_back(how.program.string());
  for (const unsigned pu : pus) words.push_back(std::to_string(pu));
  return words;
}

std::string_view name_of(mpi_launch::kind what) {
  return what == mpi_launch::kind::openmpi ? "openmpi" : "mpich";
}

std::string in_words(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

void close_all(std::initializer_list<int*> descriptors) {
  for (int* const descriptor : descriptors) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
}

}  // namespace

mpi_rival::mpi_rival(const mpi_launch& how, std::span<const unsigned> pus)
    : name_(name_of(how.what)), ranks_(pus.size()), order_limit_(how.order_limit) {
  for (const auto& program : {how.launcher, how.program}) {
    if (::access(program.c_str(), X_OK) != 0) {
      throw environment_error(name_ + " cannot be started: " + program.string() +
                              " is not there; install it, and pleat, again");
    }
  }
  start(command_line(how, pus));
  const std::string first = next_answer(how.start_limit);
  if (first != "ready") give_up("answered '" + first + "' when it started");
}

mpi_rival::~mpi_rival() {
  close_all({&orders_});  // the end of the orders: all ranks end
  reap();
  close_all({&answers_, &errors_});
}

void mpi_rival::start(const std::vector<std::string>& command) {
  std::array<int, 2> orders{-1, -1};
  std::array<int, 2> answers{-1, -1};
  const bool made = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders.data()) == 0 &&
                    ::pipe2(answers.data(), O_CLOEXEC) == 0 &&
                    (errors_ = ::memfd_create("stderr", MFD_CLOEXEC)) >= 0;
  orders_ = orders[0];
  answers_ = answers[0];
  int failure = made ? 0 : errno;
  if (made) {
    auto words = command;
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, orders[1], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
    failure = ::posix_spawn(&child_, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) child_ = 0;
  }
  close_all({&orders[1], &answers[1]});
  if (failure == 0) return;
  close_all({&orders_, &answers_, &errors_});
  throw environment_error(name_ + " cannot be started: " + command[0] + ": " +
                          std::generic_category().message(failure));
}

void mpi_rival::verify(const collective& one) {
  if (const auto fault = fault_of(one, ranks_)) throw usage_error(*fault);
  std::ostringstream order;
  order << "verify " << name_of(one.what) << ' ' << one.bytes << ' ' << name_of(one.how);
  const std::string answer = ask(order.str());
  if (answer == "verified") return;
  if (answer.starts_with("wrong ")) {
    throw error("verification of " + name_ + " failed: " + answer.substr(6));
  }
  give_up("answered '" + answer + "' to '" + order.str() + "'");
}

std::vector<double> mpi_rival::time(const collective& one, std::size_t repetitions) {
  if (const auto fault = fault_of(one, ranks_)) throw usage_error(*fault);
  if (repetitions == 0) throw usage_error("--repetitions: at least 1");
  std::ostringstream order;
  order << "time " << name_of(one.what) << ' ' << one.bytes << ' ' << name_of(one.how) << ' '
        << repetitions;
  const std::string answer = ask(order.str());
  std::istringstream words(answer);
  std::string verb;
  words >> verb;
  std::vector<double> seconds;
  for (double one_repetition = 0; words >> one_repetition;) seconds.push_back(one_repetition);
  if (verb != "times" || seconds.size() != repetitions || !words.eof()) {
    give_up("answered '" + answer + "' to '" + order.str() + "'");
  }
  return seconds;
}

std::string mpi_rival::ask(const std::string& order) {
  if (child_ == 0) throw environment_error(name_ + " has ended before");
  const std::string line = order + "\n";
  // A line is little beside a socket's buffer: it is taken whole or not at all.
  if (::send(orders_, line.data(), line.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(line.size())) {
    give_up("takes no orders");
  }
  return next_answer(order_limit_);
}

std::string mpi_rival::next_answer(std::chrono::seconds limit) {
  constexpr std::string_view mark = "pleat ";
  const auto deadline = clock::now() + limit;
  for (;;) {
    for (std::size_t end = 0; (end = read_.find('\n')) != std::string::npos;) {
      const std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      if (line.starts_with(mark)) return line.substr(mark.size());  // else the MPI's own
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now());
    pollfd news{answers_, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : ::poll(&news, 1, static_cast<int>(left.count()));
    if (ready == 0) give_up("did not answer within " + std::to_string(limit.count()) + " s");
    if (ready < 0 && errno == EINTR) continue;
    std::array<char, 4096> block{};
    const auto count = ::read(answers_, block.data(), block.size());
    if (count > 0) read_.append(block.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) give_up("");
  }
}

void mpi_rival::give_up(const std::string& why) {
  const bool ended_by_itself = why.empty();
  close_all({&orders_});
  if (!ended_by_itself) ::kill(child_, SIGTERM);
  const int status = reap();
  const std::string said = first_words_of_stderr();
  close_all({&answers_, &errors_});
  throw environment_error(name_ + " " + (ended_by_itself ? in_words(status) : why) +
                          (said.empty() ? "" : ": " + said) + "; leave it out with --rivals");
}

int mpi_rival::reap() noexcept {
  if (child_ == 0) return 0;
  int status = 0;
  // A launcher waits for its ranks, ranks for an order under way; the impatient ask, then insist.
  constexpr std::chrono::seconds patience{5};
  pid_t ended = 0;
  for (const int insist : {SIGTERM, SIGKILL}) {
    const auto deadline = clock::now() + patience;
    while ((ended = ::waitpid(child_, &status, WNOHANG)) == 0 && clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (ended != 0) break;
    ::kill(child_, insist);
  }
  if (ended == 0) ::waitpid(child_, &status, 0);
  child_ = 0;
  return status;
}

std::string mpi_rival::first_words_of_stderr() const {
  std::string text(4096, '\0');
  const auto count = ::pread(errors_, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  std::istringstream lines(text);
  // Banners begin with rules.
  for (std::string line; std::getline(lines, line);) {
    if (std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; })) {
      return line;
    }
  }
  return "";
}

}  // namespace pleat::bench
