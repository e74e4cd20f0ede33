// SPDX-License-Identifier: Apache-2.0
#include "probe_document.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <pleat/channels/version.hpp>

#include "measure/run_context.hpp"
#include "probe_cache.hpp"
#include "probe_report.hpp"
#include "terminal.hpp"

namespace pleat::bench {

std::vector<level_costs> announced_probe(const machine_options& on, const probe_options& options) {
  std::optional<progress_bar> bar;
  const auto processors = machine(on).processors();
  if (processors > 1) bar.emplace("probing " + std::to_string(processors) + " processors");
  auto levels = probe(on, options);
  bar.reset();
  if (levels.front().points.front().samples.size() < std::size_t{options.machines} * options.rounds)
    warn("supersteps are slow here, so few were measured: what the probe says is coarse");
  return levels;
}

nlohmann::ordered_json measured_probe(const machine_arguments& chosen,
                                      const probe_options& options) {
  machine on(chosen.options());
  warn_about(on);
  return {{"version", PLEAT_VERSION},
          {"context", run_context(on, chosen.request())},
          {"machines", options.machines},
          {"rounds", options.rounds},
          {"seed", options.seed},
          {"levels", probe_json(announced_probe(chosen.options(), options))}};
}

nlohmann::ordered_json kept_probe(const machine_arguments& chosen, const probe_options& options,
                                  bool exactly) {
  const auto cache = probe_cache_of(machine(chosen.options()));
  const auto fits = [&](const nlohmann::ordered_json& kept) {
    return kept.value("machines", 0U) == options.machines &&
           kept.value("rounds", 0U) == options.rounds &&
           kept.value("seed", std::uint64_t{1}) == options.seed;
  };
  if (auto kept = load_probe(cache); kept && (!exactly || fits(*kept))) return *std::move(kept);
  auto document = measured_probe(chosen, options);
  keep_probe(cache, document);
  return document;
}

}  // namespace pleat::bench
