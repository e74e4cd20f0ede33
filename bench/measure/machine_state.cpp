// SPDX-License-Identifier: Apache-2.0
#include "machine_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#include "clock.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"
#include "tool/words.hpp"

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

// Reads the boost setting: Intel's driver has its negation, newer kernels one setting per policy.
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

namespace {

std::optional<double> count_in(const std::string& word) {
  const auto count = number_in<unsigned long long>(word);
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

// Processor time of this process and of the children it has waited for.
double own_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (::getrusage(who, &used) != 0) continue;
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

std::optional<double> more(const std::optional<double>& before,
                           const std::optional<double>& after) {
  if (!before || !after) return std::nullopt;
  return std::max(0.0, *after - *before);
}

}  // namespace

// Lines are "cpu0 user nice system idle iowait irq softirq steal guest guest_nice" in ticks; `user`
// includes `guest`, and `nice` includes `guest_nice`. Source: proc_stat(5).
std::optional<kernel_times> read_processor_times(const std::vector<unsigned>& pus,
                                                 const std::filesystem::path& root) {
  const double tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::set<std::string> wanted;
  for (const unsigned pu : pus) wanted.insert("cpu" + std::to_string(pu));
  kernel_times sum{0, 0.0};
  std::ifstream in(root / "proc/stat");
  for (std::string line; !wanted.empty() && std::getline(in, line);) {
    const auto words = words_of(line);
    if (words.empty() || wanted.erase(words[0]) == 0) continue;
    for (const std::size_t place : {1U, 2U, 3U, 6U, 7U}) {
      const auto ticks = place < words.size() ? count_in(words[place]) : std::nullopt;
      if (!ticks) return std::nullopt;
      sum.busy += tick * *ticks;
    }
    const auto stolen = words.size() > 8 ? count_in(words[8]) : std::nullopt;
    sum.stolen = sum.stolen && stolen ? std::optional(*sum.stolen + tick * *stolen) : std::nullopt;
  }
  if (!wanted.empty()) return std::nullopt;
  return sum;
}

std::optional<double> read_throttled(const std::filesystem::path& quota_file) {
  std::ifstream in(quota_file.parent_path() / "cpu.stat");
  for (std::string line; std::getline(in, line);) {
    const auto words = words_of(line);
    if (words.size() != 2) continue;
    const auto count = count_in(words[1]);
    if (words[0] == "throttled_usec" && count) return 1e-6 * *count;  // cgroup v2
    if (words[0] == "throttled_time" && count) return 1e-9 * *count;  // cgroup v1
  }
  return std::nullopt;
}

nlohmann::ordered_json events_json(const machine_events& events) {
  return {{"seconds", events.seconds},
          {"stolen_s", or_null(events.stolen)},
          {"others_s", or_null(events.others)},
          {"throttled_s", or_null(events.throttled)}};
}

std::vector<std::string> spoilers(const machine_events& events) {
  constexpr double least_seconds = 1, most_stolen = 0.01, most_others = 0.05;
  std::vector<std::string> found;
  const double whole = events.seconds * static_cast<double>(events.processors);
  if (events.seconds < least_seconds || whole == 0) return found;
  const auto percent = [&](double seconds) {
    return readable_number(100 * seconds / whole) + " %";
  };
  if (events.stolen.value_or(0) > most_stolen * whole)
    found.push_back("the hypervisor took " + percent(*events.stolen) +
                    " of the processors' time; measure again when its other guests are quiet, or "
                    "on processors of your own");
  if (events.others.value_or(0) > most_others * whole)
    found.push_back("other processes took " + percent(*events.others) +
                    " of the processors' time; end them (top names them) and measure again");
  if (events.throttled.value_or(0) > 0)
    found.push_back("the quota stopped this control group for " + readable_time(*events.throttled) +
                    "; raise it, or ask for fewer processors");
  return found;
}

machine_watch::machine_watch(const topology& on, const placement& where) {
  for (const auto& processor : where.processors) pus_.push_back(processor.pu);
  std::ranges::sort(pus_);
  pus_.erase(std::unique(pus_.begin(), pus_.end()), pus_.end());
  if (on.quota()) quota_ = on.quota()->source;
  before_ = read();
}

machine_watch::reading machine_watch::read() const {
  reading now;
  now.at = std::chrono::duration<double>(benchmark_clock::now().time_since_epoch()).count();
  now.ours = own_seconds();
  now.processors = read_processor_times(pus_);
  if (quota_) now.throttled = read_throttled(*quota_);
  return now;
}

machine_events machine_watch::events() const {
  const reading after = read();
  machine_events result;
  result.seconds = after.at - before_.at;
  result.processors = pus_.size();
  result.throttled = more(before_.throttled, after.throttled);
  if (!before_.processors || !after.processors) return result;
  result.stolen = more(before_.processors->stolen, after.processors->stolen);
  const double busy = after.processors->busy - before_.processors->busy;
  result.others = std::max(0.0, busy - (after.ours - before_.ours));
  return result;
}

void machine_watch::finish(nlohmann::ordered_json& context) const {
  const auto found = events();
  context["during"] = events_json(found);
  for (const auto& spoiler : spoilers(found)) warn(spoiler);
}

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) + 1 - first));
}

}  // namespace

std::optional<std::string> line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  line = trimmed(line);
  return line.empty() ? std::nullopt : std::optional(line);
}

std::optional<long long> number_of(const std::filesystem::path& file) {
  const auto line = line_of(file);
  return line ? number_in<long long>(*line) : std::nullopt;
}

std::optional<std::string> chosen_of(const std::filesystem::path& file) {
  const auto line = line_of(file);
  if (!line) return std::nullopt;
  const auto open = line->find('['), close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  return line->substr(open + 1, close - open - 1);
}

std::optional<std::string> value_of(const std::filesystem::path& file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || trimmed(line.substr(0, colon)) != name) continue;
    const auto value = trimmed(line.substr(colon + 1));
    return value.empty() ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(blanks, at)) != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(blanks, at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace pleat::bench
