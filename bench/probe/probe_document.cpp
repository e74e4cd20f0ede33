// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "measure/machine_state.hpp"
#include "measure/run_context.hpp"
#include "probe_report.hpp"
#include "tool/output_file.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

std::filesystem::path cache_folder() {
  const auto folder = [](const char* variable) -> std::filesystem::path {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
  };
  if (const auto cache = folder("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "pleat";
  if (const auto home = folder("HOME"); home.is_absolute()) return home / ".cache" / "pleat";
  throw environment_error("nowhere to keep a probe: set XDG_CACHE_HOME or HOME, or do not cache");
}

/// File in which the probe of this machine with this placement is kept: in `$XDG_CACHE_HOME/pleat`,
/// else in `$HOME/.cache/pleat`, named after the host and the PUs of its processors. Throws
/// environment_error if neither variable is set.
std::filesystem::path probe_cache_of(const machine& on) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {'h', 'o', 's', 't'};
  std::string name = "probe-" + std::string(host.data());
  for (const auto& processor : on.placement().processors)
    name += "-" + std::to_string(processor.pu);
  constexpr std::size_t longest = 200;  // a file system takes 255
  if (name.size() > longest)
    name = name.substr(0, longest) + "-" + std::to_string(std::hash<std::string>()(name));
  return cache_folder() / (name + ".json");
}

/// The document kept there; none if there is no file, or one that another version wrote. Throws
/// pleat::error if there is one that cannot be read.
std::optional<nlohmann::ordered_json> load_probe(const std::filesystem::path& cache) {
  std::error_code none;
  if (!std::filesystem::exists(cache, none)) return std::nullopt;
  std::ifstream file(cache, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parse_probe(text, cache.string());
}

/// Keeps the document there, whole or not at all; folders are made. Throws pleat::error.
void keep_probe(const std::filesystem::path& cache, const nlohmann::ordered_json& document) {
  std::error_code failure;
  std::filesystem::create_directories(cache.parent_path(), failure);
  if (failure)
    throw error("cannot make " + cache.parent_path().string() + ": " + failure.message() +
                "; set XDG_CACHE_HOME to a folder that can be written");
  output_file file(cache);
  file.write(document.dump(1) + "\n");
  file.commit();
}

}  // namespace

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
