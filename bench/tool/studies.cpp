// SPDX-License-Identifier: Apache-2.0
#include "studies.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

#include "measure/child_process.hpp"

namespace pleat::bench {
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
