// SPDX-License-Identifier: Apache-2.0
#include "machine_state.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include <nlohmann/json.hpp>

#include "or_null.hpp"
#include "system_file.hpp"

namespace pleat::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* cpus = "sys/devices/system/cpu";

std::optional<bool> truth(std::optional<long long> number) {
  return number ? std::optional(*number != 0) : std::nullopt;
}

std::vector<std::string> governors_below(const fs::path& root) {
  std::set<std::string> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root / cpus / "cpufreq", none))
    if (const auto governor = line_of(entry.path() / "scaling_governor")) found.insert(*governor);
  return {found.begin(), found.end()};
}

// Intel's driver says it the other way round; newer kernels say it of each policy.
std::optional<bool> boost_below(const fs::path& root) {
  const fs::path folder = root / cpus;
  if (const auto off = number_of(folder / "intel_pstate/no_turbo")) return *off == 0;
  if (const auto on = number_of(folder / "cpufreq/boost")) return *on != 0;
  return truth(number_of(folder / "cpufreq/policy0/boost"));
}

std::optional<bool> is_virtual(const fs::path& root) {
  const auto flags = value_of(root / "proc/cpuinfo", "flags");
  if (!flags) return std::nullopt;
  const auto words = words_of(*flags);
  return std::ranges::find(words, "hypervisor") != words.end();
}

std::optional<std::string> hypervisor_below(const fs::path& root,
                                            const std::optional<bool>& is_virtual) {
  if (auto type = line_of(root / "sys/hypervisor/type")) return type;
  if (is_virtual != true) return std::nullopt;
  return line_of(root / "sys/class/dmi/id/product_name");
}

std::optional<std::array<double, 3>> load_below(const fs::path& root) {
  const auto line = line_of(root / "proc/loadavg");
  const auto words = words_of(line.value_or(""));
  std::array<double, 3> load{};
  if (words.size() < load.size()) return std::nullopt;
  for (std::size_t k = 0; k < load.size(); ++k) {
    char* end = nullptr;
    load[k] = std::strtod(words[k].c_str(), &end);
    if (*end != '\0') return std::nullopt;
  }
  return load;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " and ") + word;
  return text;
}

}  // namespace

machine_state read_machine_state(const fs::path& root) {
  machine_state state;
  const fs::path about = root / "proc/cpuinfo";
  state.kernel = line_of(root / "proc/sys/kernel/osrelease");
  state.processor_model = value_of(about, "model name");
  state.microcode = value_of(about, "microcode");
  state.governors = governors_below(root);
  state.boost = boost_below(root);
  state.smt = truth(number_of(root / cpus / "smt/active"));
  state.transparent_huge_pages = chosen_of(root / "sys/kernel/mm/transparent_hugepage/enabled");
  state.numa_balancing = number_of(root / "proc/sys/kernel/numa_balancing");
  state.virtual_machine = is_virtual(root);
  state.hypervisor = hypervisor_below(root, state.virtual_machine);
  state.clock_source =
      line_of(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
  state.load_average = load_below(root);
  return state;
}

nlohmann::ordered_json state_json(const machine_state& state) {
  using nlohmann::ordered_json;
  return {{"kernel", or_null(state.kernel)},
          {"processor_model", or_null(state.processor_model)},
          {"microcode", or_null(state.microcode)},
          {"governors", state.governors.empty() ? ordered_json() : ordered_json(state.governors)},
          {"boost", or_null(state.boost)},
          {"smt", or_null(state.smt)},
          {"transparent_huge_pages", or_null(state.transparent_huge_pages)},
          {"numa_balancing", or_null(state.numa_balancing)},
          {"virtual_machine", or_null(state.virtual_machine)},
          {"hypervisor", or_null(state.hypervisor)},
          {"clock_source", or_null(state.clock_source)},
          {"load_average", or_null(state.load_average)}};
}

std::vector<std::string> spoilers(const machine_state& state, std::size_t numa_nodes) {
  std::vector<std::string> found;
  const bool steady = std::ranges::all_of(
      state.governors, [](const std::string& governor) { return governor == "performance"; });
  if (!steady)
    found.push_back("the clock frequency follows the load (governor " + joined(state.governors) +
                    "); keep it up with: cpupower frequency-set -g performance");
  if (state.transparent_huge_pages == "never")
    found.push_back(
        "transparent huge pages are off, so large arrays miss the TLB; allow them with: echo "
        "madvise > /sys/kernel/mm/transparent_hugepage/enabled");
  if (numa_nodes > 1 && state.numa_balancing.value_or(0) != 0)
    found.push_back(
        "the kernel moves pages between NUMA nodes meanwhile; stop it with: echo 0 > "
        "/proc/sys/kernel/numa_balancing");
  const auto slow = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
  if (state.clock_source && std::ranges::find(slow, *state.clock_source) != slow.end())
    found.push_back("each look at the clock takes microseconds (clock source " +
                    *state.clock_source + "); boot with clocksource=tsc if the processor has it");
  return found;
}

}  // namespace pleat::bench
