// SPDX-License-Identifier: Apache-2.0
#include "sweep_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "measure/statistics.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw usage_error(origin + ": " + what + "; give a file that pleat sweep --json wrote");
}

// An entry of benchmarks[], and where it stands.
class entry_reader {
 public:
  entry_reader(const json& entry, std::size_t index, const std::string& origin)
      : entry_(entry), index_(index), origin_(origin) {
    if (!entry.is_object()) wrong("is no object");
  }

  [[nodiscard]] std::string text(const char* key) const {
    const auto found = entry_.find(key);
    if (found == entry_.end() || !found->is_string()) wrong("has no text \"" + name(key) + "\"");
    return found->get<std::string>();
  }

  [[nodiscard]] std::string text_or_none(const char* key) const {
    return entry_.contains(key) ? text(key) : std::string{};
  }

  [[nodiscard]] std::size_t count_or_none(const char* key) const {
    const auto found = entry_.find(key);
    if (found == entry_.end()) return 0;
    if (!found->is_number_unsigned()) wrong("has a \"" + name(key) + "\" that is no count");
    return found->get<std::size_t>();
  }

  [[nodiscard]] std::optional<double> number_or_none(const char* key) const {
    const auto found = entry_.find(key);
    if (found == entry_.end() || found->is_null()) return {};
    if (!found->is_number()) wrong("has a \"" + name(key) + "\" that is no number");
    return found->get<double>();
  }

  [[nodiscard]] bool failed() const {
    const auto found = entry_.find("error_occurred");
    return found != entry_.end() && found->is_boolean() && found->get<bool>();
  }

  [[nodiscard]] double seconds() const {
    static const std::map<std::string_view, double> units{
        {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    const auto unit = units.find(text("time_unit"));
    if (unit == units.end()) wrong("has an unknown time_unit");
    const auto time = number_or_none("real_time");
    const double seconds = time.value_or(0) * unit->second;
    // No clock has shorter times and nobody waits for longer ones.
    if (!(seconds > 1e-15 && seconds < 1e12)) wrong("has no real_time above zero");
    return seconds;
  }

 private:
  static std::string name(const char* key) { return key; }
  [[noreturn]] void wrong(const std::string& what) const {
    refuse(origin_, "benchmarks[" + std::to_string(index_) + "] " + what);
  }

  const json& entry_;
  std::size_t index_;
  const std::string& origin_;
};

case_keys keys_of(const entry_reader& entry) {
  case_keys keys;
  keys.program = entry.text_or_none("program");
  keys.library = entry.text_or_none("library");
  if (keys.library.empty()) keys.library = "pleat";
  keys.type = entry.text_or_none("type");
  keys.distribution = entry.text_or_none("distribution");
  keys.n = entry.count_or_none("n");
  keys.processors = static_cast<unsigned>(entry.count_or_none("processors"));
  keys.place = entry.text_or_none("place");
  keys.memory = entry.text_or_none("memory");
  keys.pages = entry.text_or_none("pages");
  keys.wait = entry.text_or_none("wait");
  keys.hardware_threads = entry.text_or_none("hardware_threads");
  keys.scaling = entry.text_or_none("scaling");
  keys.per_processor = entry.count_or_none("per_processor");
  return keys;
}

void add_entry(measured_case& to, const entry_reader& entry) {
  if (entry.failed()) {
    to.failure = entry.text_or_none("error_message");
  } else if (entry.text("run_type") == "iteration") {
    to.samples.push_back(entry.seconds());
  } else if (entry.text_or_none("aggregate_name") == "median") {
    to.speedup = entry.number_or_none("speedup");
    to.efficiency = entry.number_or_none("efficiency");
    to.predicted_s = entry.number_or_none("predicted_s");
  }
}

std::string text_in(const json& context, const char* key) {
  const auto found = context.find(key);
  return found != context.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

}  // namespace

bool sweep_file::has_keys() const {
  return std::ranges::all_of(cases, [](const measured_case& one) {
    return !one.keys.program.empty() && one.keys.n > 0 && one.keys.processors > 0;
  });
}

void sweep_file::require_keys() const {
  if (!has_keys())
    throw usage_error(origin +
                      ": its cases lack the keys program, n and processors; sweep again "
                      "with this version of pleat");
}

sweep_file sweep_from(const json& document, const std::string& origin) {
  if (!document.is_object() || !document.contains("benchmarks") ||
      !document["benchmarks"].is_array())
    refuse(origin, "this is no sweep: it has no list \"benchmarks\"");
  if (!document.contains("context") || !document["context"].is_object() ||
      !document["context"].contains("pleat"))
    refuse(origin, "this is not a sweep of Pleat's: it has no context.pleat");
  const json& context = document["context"];
  sweep_file sweep{origin, text_in(context, "host_name"), text_in(context, "date"), {}};
  std::map<std::string, std::size_t> place_of;
  std::size_t index = 0;
  for (const json& one : document["benchmarks"]) {
    const entry_reader entry(one, index++, sweep.origin);
    const auto name = entry.text("run_name");
    const auto [place, is_new] = place_of.try_emplace(name, sweep.cases.size());
    if (is_new) {
      sweep.cases.emplace_back();
      sweep.cases.back().name = name;
      sweep.cases.back().keys = keys_of(entry);
    }
    add_entry(sweep.cases[place->second], entry);
  }
  for (auto& one : sweep.cases) {
    if (one.samples.empty()) continue;
    one.median_s = summarise(one.samples).median;
    one.median_within = median_interval(one.samples);
  }
  return sweep;
}

}  // namespace pleat::bench
