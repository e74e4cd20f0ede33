// SPDX-License-Identifier: Apache-2.0
#include "machine_watch.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "clock.hpp"
#include "or_null.hpp"
#include "system_file.hpp"
#include "tool/readable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

std::optional<double> count_in(const std::string& word) {
  unsigned long long count = 0;
  const char* const end = word.data() + word.size();
  const auto [stopped, failure] = std::from_chars(word.data(), end, count);
  if (failure != std::errc() || stopped != end) return std::nullopt;
  return static_cast<double>(count);
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

// Lines are "cpu0 user nice system idle iowait irq softirq steal guest guest_nice" in ticks; the
// time of guests is in that of users too. Source: proc_stat(5).
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
    if (words[0] == "throttled_usec" && count) return 1e-6 * *count;  // version 2
    if (words[0] == "throttled_time" && count) return 1e-9 * *count;  // version 1
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

}  // namespace pleat::bench
