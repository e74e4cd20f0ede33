// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/probe.hpp>

#include "machine_arguments.hpp"
#include "probe_cache.hpp"
#include "probe_report.hpp"
#include "run_context.hpp"
#include "tool.hpp"

namespace pleat::bench {
namespace {

struct probe_arguments {
  machine_arguments machine;
  probe_options how;
  bool cached = false;
  bool json = false;
};

nlohmann::ordered_json measure(machine& on, const probe_arguments& chosen) {
  warn_about(on);
  const auto levels = probe(chosen.machine.options(), chosen.how);
  return {{"version", PLEAT_VERSION},
          {"context", run_context(on, chosen.machine.request())},
          {"machines", chosen.how.machines},
          {"rounds", chosen.how.rounds},
          {"levels", probe_json(levels)}};
}

nlohmann::ordered_json measured_or_kept(machine& on, const probe_arguments& chosen) {
  if (!chosen.cached) return measure(on, chosen);
  const auto cache = probe_cache_of(on);
  if (auto kept = load_probe(cache)) return *kept;
  auto document = measure(on, chosen);
  keep_probe(cache, document);
  return document;
}

void show(const probe_arguments& chosen) {
  machine on(chosen.machine.options());
  const auto document = measured_or_kept(on, chosen);
  print_data(chosen.json ? document.dump(2) + "\n" : probe_text(probe_from(document.at("levels"))));
}

}  // namespace

void add_probe_command(CLI::App& tool) {
  auto chosen = std::make_shared<probe_arguments>();
  auto& command = *tool.add_subcommand(
      "probe", "Measure what a superstep costs on every level of this machine");
  chosen->machine.add_to(command);
  command.add_option("--machines", chosen->how.machines, "Measured one after the other, 5 or more")
      ->capture_default_str();
  command.add_option("--rounds", chosen->how.rounds, "Samples of every size on each")
      ->capture_default_str();
  command.add_option("--seed", chosen->how.seed, "Of the pairs and their order")
      ->capture_default_str();
  command.add_flag(
      "--cached", chosen->cached,
      "Print the kept probe of these processors; measure and keep it if there is none");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(R"(Examples:
  pleat probe
  pleat probe --processors 8 --place spread --json
  pleat probe --cached)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
