// SPDX-License-Identifier: Apache-2.0
#include "tool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

#include "base/process_defaults.hpp"
#include "measure/child_process.hpp"
#include "printable.hpp"

namespace pleat::bench {

void print_data(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int exit_code_of(const std::function<void()>& program) {
  // Measured workers stay on their processors, and on those that were asked for.
  ::setenv("PLEAT_PIN", "1", 0);
  pleat::detail::defaults.claim_cores = false;
  const outcome end = outcome_of(program);
  complain(end);
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return end.exit_code;
  const int number = errno == 0 ? EIO : errno;
  complain({1, "cannot write the results: " + std::generic_category().message(number)});
  return 1;
}

outcome outcome_of(const std::function<void()>& command) {
  try {
    command();
    return {};
  } catch (const finished& end) {
    return {end.exit_code, {}};
  } catch (const usage_error& failure) {
    return {2, failure.what()};
  } catch (const no_such_place& failure) {
    return {2, failure.what()};
  } catch (const std::length_error&) {  // more elements than any memory has
    return {1, "too large for any memory; use a smaller n"};
  } catch (const std::bad_alloc&) {
    return {1, "out of memory; use a smaller n or a machine with more memory"};
  } catch (const std::exception& failure) {
    return {1, failure.what()};
  }
}

void complain(const outcome& end) {
  if (end.why.empty()) return;
  const std::string line = "pleat: " + printable(end.why) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

namespace {

struct study {
  std::string_view name, help;
};
constexpr std::array studies{
    study{"place",
          "Show who sits where, where memory goes, and which traffic is local; runs nothing"},
    study{"report", "Show a sweep, compare two, or write a page of charts"},
    study{"compare", "Measure Pleat beside other people's libraries, interleaved in one process"},
    study{"evaluate", "Count a program's supersteps and messages on every folding of its machine"},
    study{"probe", "Measure what a superstep costs on every level of this machine"},
    study{"matrix", "Measure how far processors are from each other and from memory"},
    study{"schedule", "Show who sends what to whom in which round of a collective"},
};

}  // namespace

tool_command add_study(tool_command& tool, std::string_view name) {
  const study& of = *std::ranges::find(studies, name, &study::name);
  return tool.add_subcommand(std::string(of.name), std::string(of.help));
}

void go_on_as_studies(int argc, char** argv) {
  if (argc < 2 || std::ranges::find(studies, argv[1], &study::name) == studies.end()) return;
  const auto program = companion_program("pleat-studies");
  ::execv(program.c_str(), argv);
  throw environment_error("cannot start " + program.string() + ": " +
                          std::generic_category().message(errno));
}

}  // namespace pleat::bench
