// SPDX-License-Identifier: Apache-2.0
#include "probe_document.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <pleat/channels/version.hpp>

#include "measure/machine_watch.hpp"
#include "measure/run_context.hpp"
#include "probe_cache.hpp"
#include "probe_report.hpp"
#include "readable.hpp"
#include "terminal.hpp"

namespace pleat::bench {

std::vector<level_costs> announced_probe(const machine_options& on, const probe_options& options) {
  const machine like(on);
  std::optional<progress_bar> bar;
  if (like.processors() > 1) {
    const auto levels = label_count(like.processors());
    bar.emplace("probing " + std::to_string(like.processors()) + " processors, at most " +
                readable_count(levels * std::size_t{10}) + " s");
  }
  auto announced = options;
  announced.progress = [&](std::size_t done, std::size_t planned) {
    if (bar) bar->update(done, planned);
  };
  auto levels = probe(on, announced);
  bar.reset();
  if (levels.front().points.front().samples.size() < std::size_t{options.machines} * options.rounds)
    warn("supersteps are slow here, so few were measured and the probe is coarse: " +
         (like.oversubscribed()
              ? "ask for " + std::to_string(like.topology().available()) + " processors or fewer"
              : std::string("end what else uses these processors")));
  return levels;
}

nlohmann::ordered_json measured_probe(const machine_arguments& chosen,
                                      const probe_options& options) {
  const auto asked = chosen.options();
  machine on(asked);
  warn_about(on);
  const machine_watch watch(on);
  auto context = run_context(on, asked);
  auto levels = probe_json(announced_probe(asked, options));
  watch.finish(context);
  return {{"version", PLEAT_VERSION},     {"context", std::move(context)},
          {"machines", options.machines}, {"rounds", options.rounds},
          {"seed", options.seed},         {"levels", std::move(levels)}};
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
