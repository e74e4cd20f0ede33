// SPDX-License-Identifier: Apache-2.0
#include "sweep_file.hpp"

#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "checked_json.hpp"

namespace pleat::bench {
namespace {

// Largest value of a count: no limit.
constexpr std::size_t any_count = std::numeric_limits<std::size_t>::max();

// Reads a field of a case. If the entry lacks it, a text is empty, a count 0; an optional is kept.
void read_field(const checked_json& entry, const char* key, std::string& text) {
  const auto found = entry.find(key);
  text = found ? found->text() : "";
}
template <class Count> void read_field(const checked_json& entry, const char* key, Count& count) {
  const auto found = entry.find(key);
  count = found ? static_cast<Count>(found->count(std::numeric_limits<Count>::max())) : 0;
}
void read_field(const checked_json& entry, const char* key, std::optional<double>& number) {
  if (const auto found = entry.find(key)) number = found->number();
}
template <class T>
void read_field(const checked_json& entry, const char* key, std::optional<T>& field) {
  if (entry.find(key)) read_field(entry, key, field.emplace());
}

std::string text_in(const checked_json& entry, const char* key) {
  std::string text;
  read_field(entry, key, text);
  return text;
}

bool failed(const checked_json& entry) {
  const auto found = entry.find("error_occurred");
  if (found && !found->value().is_boolean()) found->wrong("is neither true nor false");
  return found && found->value().get<bool>();
}

double seconds_of(const checked_json& entry) {
  static const std::map<std::string_view, double> units{
      {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  const auto unit = units.find(entry.at("time_unit").text());
  if (unit == units.end()) entry.wrong("has an unknown time_unit");
  std::optional<double> time;
  read_field(entry, "real_time", time);
  const double seconds = time.value_or(0) * unit->second;
  // Rejects times shorter than any clock's and longer than any measurement.
  if (!(seconds > 1e-15 && seconds < 1e12)) entry.wrong("has no real_time above zero");
  return seconds;
}

case_keys keys_of(const checked_json& entry) {
  case_keys keys;
  sweep_case::each_field(keys.at,
                         [&](const char* key, auto& field) { read_field(entry, key, field); });
  if (keys.at.program.empty() || keys.at.processors == 0)
    entry.wrong("has no \"program\" or no \"processors\"");
  keys.library = text_in(entry, "library");
  if (keys.library.empty()) keys.library = pleat_library;
  const auto scaling = text_in(entry, "scaling");
  if (!scaling.empty() && scaling != "strong" && scaling != "weak")
    entry.wrong("has a \"scaling\" that is neither strong nor weak");
  const unsigned ranks = keys.at.ranks.value_or(1);
  if (ranks == 0 || keys.at.processors % ranks != 0)
    entry.wrong("has \"processors\" that are no multiple of its \"ranks\"");
  return keys;
}

// Checks memory_pages, the places of a case's memory; null if the kernel does not report them.
void check_pages(const checked_json& median) {
  const auto pages = median.find("memory_pages");
  if (!pages) return;
  const auto on_node = pages->at("on_node");
  on_node.require_object();
  for (const auto& [node, count] : on_node.value().items())
    static_cast<void>(on_node.at(node.c_str()).count(any_count));
  for (const char* key : {"page_bytes", "absent", "astray"})
    static_cast<void>(pages->at(key).count(any_count));
}

// Checks the fields of a median that add_entry does not read but the HTML page shows.
void check_median(const checked_json& entry) {
  static_cast<void>(seconds_of(entry));
  std::optional<double> bound;
  for (const char* key : {"interval_low_s", "interval_high_s"}) read_field(entry, key, bound);
  static_cast<void>(text_in(entry, "stopped"));
  check_pages(entry);
}

void add_entry(measured_case& to, const checked_json& entry) {
  if (failed(entry)) {
    to.failure = text_in(entry, "error_message");
    return;
  }
  const auto type = entry.at("run_type").text();
  if (type != "iteration" && type != "aggregate") entry.wrong("has an unknown run_type");
  if (to.keys != keys_of(entry))
    entry.wrong("has a run_name of an earlier entry and is another case");
  if (type == "iteration") {
    to.samples.push_back(seconds_of(entry));
  } else if (text_in(entry, "aggregate_name") == "median") {
    check_median(entry);
    read_field(entry, "speedup", to.speedup);
    read_field(entry, "efficiency", to.efficiency);
    read_field(entry, "predicted_s", to.predicted_s);
  }
}

// Finds duplicates: entries of the same case that are the same repetition or the same aggregate.
class entries_seen {
 public:
  void add(const checked_json& entry, const std::string& run_name, std::size_t index) {
    std::string which = "failure";
    if (!failed(entry)) {
      which = text_in(entry, "aggregate_name");
      if (entry.at("run_type").text() == "iteration") {
        const auto repetition = entry.find("repetition_index");
        if (!repetition) return;
        which = "repetition " + std::to_string(repetition->count(any_count));
      }
    }
    const auto [first, is_new] = seen_.try_emplace({run_name, which}, index);
    if (!is_new)
      entry.wrong("is a second " + which + " of its case, after benchmarks[" +
                  std::to_string(first->second) + "], and a file has one sweep");
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> seen_;
};

// Returns a text of the context; an empty one if the field is absent or is no string.
std::string text_or_none(const checked_json& context, const char* key) {
  const auto found = context.find(key);
  return found && found->value().is_string() ? found->text() : std::string();
}

}  // namespace

sweep_file sweep_from(const nlohmann::ordered_json& document, const std::string& origin) {
  const checked_json file(document, origin, "give a file that pleat sweep --json wrote");
  const auto entries = file.at("benchmarks");
  const auto context = file.at("context");
  const auto pleat = context.at("pleat");
  pleat.require_object();
  sweep_file sweep{origin, text_or_none(context, "host_name"), text_or_none(context, "date"), {}};
  std::map<std::string, std::size_t> place_of;
  entries_seen seen;
  for (std::size_t index = 0; index < entries.size(); ++index) {
    const auto entry = entries.at(index);
    const auto name = entry.at("run_name").text();
    const auto [place, is_new] = place_of.try_emplace(name, sweep.cases.size());
    if (is_new) {
      sweep.cases.emplace_back();
      sweep.cases.back().name = name;
      sweep.cases.back().keys = keys_of(entry);
    }
    seen.add(entry, name, index);
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
