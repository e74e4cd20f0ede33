// SPDX-License-Identifier: Apache-2.0
#include "mpi_rival.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <set>
#include <sstream>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

// Ranks bind themselves (to what the launcher cannot know), and they are all here.
std::vector<std::string> launcher_words(const mpi_launch& how, std::span<const unsigned> pus) {
  std::vector<std::string> words;
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

std::string in_words(int code) {
  if (code > 128) return "was ended by signal " + std::to_string(code - 128);
  return "ended with status " + std::to_string(code);
}

// A launcher waits for its ranks, and each rank ends after the order that it carries out.
constexpr std::chrono::seconds patience{5};

}  // namespace

mpi_rival::mpi_rival(const mpi_launch& how, std::span<const unsigned> pus)
    : name_(name_of(how.what)), ranks_(pus.size()), order_limit_(how.order_limit) {
  for (const auto& program : {how.launcher, how.program}) {
    if (::access(program.c_str(), X_OK) != 0)
      throw environment_error(name_ + " cannot be started: " + program.string() +
                              " is not there; install it, and pleat, again");
  }
  errors_ = file_descriptor(::memfd_create("stderr", MFD_CLOEXEC));
  if (errors_.get() < 0)
    throw environment_error(name_ +
                            " cannot be started: " + std::generic_category().message(errno));
  child_.emplace(how.launcher, launcher_words(how, pus), child_options{.errors = errors_.get()});
  const std::string first = next_answer(how.start_limit);
  if (first != "ready") give_up("answered '" + first + "' when it started");
}

mpi_rival::~mpi_rival() {
  if (child_) static_cast<void>(child_->end_within(patience));  // all ranks end with their orders
}

void mpi_rival::verify(const collective& one) {
  if (const auto fault = fault_of(one, ranks_)) throw usage_error(*fault);
  std::ostringstream order;
  order << "verify " << name_of(one.what) << ' ' << one.bytes << ' ' << name_of(one.how);
  const std::string answer = ask(order.str());
  if (answer == "verified") return;
  if (answer.starts_with("wrong "))
    throw error("verification of " + name_ + " failed: " + answer.substr(6));
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
  if (verb != "times" || seconds.size() != repetitions || !words.eof())
    give_up("answered '" + answer + "' to '" + order.str() + "'");
  return seconds;
}

std::string mpi_rival::ask(const std::string& order) {
  if (!child_) throw environment_error(name_ + " has ended before");
  if (!child_->write(order + "\n")) give_up("takes no orders");
  return next_answer(order_limit_);
}

std::string mpi_rival::next_answer(std::chrono::seconds limit) {
  constexpr std::string_view mark = "pleat ";
  child_->expect_within(limit);
  try {
    while (const auto line = child_->read_line())
      if (line->starts_with(mark)) return line->substr(mark.size());  // else the MPI's own
  } catch (const child_silent&) {
    give_up("did not answer within " + std::to_string(limit.count()) + " s");
  }
  give_up("");
}

void mpi_rival::give_up(const std::string& why) {
  const bool ended_by_itself = why.empty();
  if (!ended_by_itself) ::kill(child_->id(), SIGTERM);
  const int code = child_->end_within(patience);
  child_.reset();
  const std::string said = first_words_of_stderr();
  throw environment_error(name_ + " " + (ended_by_itself ? in_words(code) : why) +
                          (said.empty() ? "" : ": " + said) + "; leave it out with --rivals");
}

std::string mpi_rival::first_words_of_stderr() const {
  std::string text(4096, '\0');
  const auto count = ::pread(errors_.get(), text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  std::istringstream lines(text);
  // Banners begin with rules.
  for (std::string line; std::getline(lines, line);) {
    if (std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; }))
      return line;
  }
  return "";
}

}  // namespace pleat::bench
