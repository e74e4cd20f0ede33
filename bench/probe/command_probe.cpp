// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/probe.hpp>

#include "probe_report.hpp"
#include "report/json_file.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

struct probe_arguments {
  machine_arguments machine;
  std::string machines, rounds, seed;
  bool cached = false;
  bool json = false;
};

probe_options options_of(const probe_arguments& chosen) {
  constexpr std::size_t most = 1'000'000;
  probe_options how;
  const auto count = [&](const std::string& text, const char* option, unsigned& value,
                         std::size_t least) {
    if (text.empty()) return;
    const std::size_t given = parse_count(text, option, least);
    if (given > most)
      throw usage_error(std::string(option) + ": '" + text + "' is too large; at most 1,000,000");
    value = static_cast<unsigned>(given);
  };
  count(chosen.machines, "--machines", how.machines, 5);
  count(chosen.rounds, "--rounds", how.rounds, 1);
  if (!chosen.seed.empty()) how.seed = parse_count(chosen.seed, "--seed");
  return how;
}

void show(const probe_arguments& chosen) {
  const auto how = options_of(chosen);
  const bool chose = !(chosen.machines + chosen.rounds + chosen.seed).empty();
  const auto document =
      chosen.cached ? kept_probe(chosen.machine, how, chose) : measured_probe(chosen.machine, how);
  print_data(chosen.json ? json_text(document, 2) + "\n"
                         : probe_text(probe_from(document.at("levels"))));
}

}  // namespace

void add_probe_command(tool_command& tool) {
  auto chosen = std::make_shared<probe_arguments>();
  auto command = add_study(tool, "probe");
  chosen->machine.add_to(command);
  command.add_option("--machines", chosen->machines,
                     "Measured one after the other, 5 or more (10 unless given)", "K");
  command.add_option("--rounds", chosen->rounds, "Samples of every size on each (40 unless given)",
                     "K");
  command.add_option("--seed", chosen->seed, "Of the pairs and their order (1 unless given)",
                     "SEED");
  command.add_flag(
      "--cached", chosen->cached,
      "Print the kept probe of these processors; measure and keep it if there is none, or if it "
      "was measured otherwise than asked for");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(
      R"(It takes a few seconds, and at most ten for each level (a line of the table), however busy the
machine is; with fewer samples than asked for it says so. More processors than this process may use
are measured coarsely, in about two seconds a level.

Examples:
  pleat probe
  pleat probe --processors 8 --place spread --json
  pleat probe --cached)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
