// SPDX-License-Identifier: Apache-2.0
//
// Command lines: words, each up to a line end, read by commands with every kind of option the tool
// has, none of which does anything.

#include "tool/command_line.hpp"

#include "input.hpp"
#include "tool/printable.hpp"
#include "tool/words.hpp"

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words{"pleat"};
  constexpr std::size_t most = 32;
  while (!text.empty() && words.size() < most) {
    const auto end = text.substr(0, text.find('\n'));
    words.emplace_back(end.substr(0, end.find('\0')));
    text.remove_prefix(std::min(text.size(), end.size() + 1));
  }
  return words;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleat::bench;
  using pleat::fuzz::require;
  auto words = words_of(pleat::fuzz::text_of(data, size));
  for (const auto& word : words)
    if (word.find("help") != std::string::npos || word.starts_with("-h") || word == "--version")
      return 0;  // printed, not read
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  std::string n, program, json;
  std::optional<std::string> place;
  std::vector<std::string> inputs, benchmarks;
  bool flag = false;
  command_line line("pleat", "Reads a command line");
  auto tool = line.tool();
  auto run = tool.add_subcommand("run", "A command of commands");
  auto sort = run.add_subcommand("sort", "One of them");
  sort.add_option("--input", inputs, "Twice").required();
  sort.add_option("--place", place, "Once");
  auto sweep = tool.add_subcommand("sweep", "A command");
  sweep.add_option("--n", n, "A list");
  auto alone = sweep.add_option("--json", json, "With a value or alone");
  alone.expected(0, 1);
  sweep.add_flag("--argsort", flag, "Yes or no");
  auto compare = tool.add_subcommand("compare", "A command of benchmarks");
  compare.add_option("BENCHMARK", benchmarks, "Some").required();
  auto evaluate = tool.add_subcommand("evaluate", "A command of a program");
  evaluate.add_option("program", program, "One").required();
  int done = 0;
  for (auto* one : {&sort, &sweep, &compare, &evaluate}) {
    one->callback([&] {
      ++done;
      for (const auto& given : inputs) require(!given.empty());
      for (const auto& given : benchmarks) require(!given.empty());
      require(!place || !place->empty());
      if (!n.empty()) static_cast<void>(parse_counts(n, "--n"));
    });
  }
  pleat::fuzz::answers([&] {
    const bool read = line.read(static_cast<int>(words.size()), pointers.data());
    require(done == (read ? 1 : 0));
  });
  return 0;
}
