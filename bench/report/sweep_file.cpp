// SPDX-License-Identifier: Apache-2.0
#include "sweep_file.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "measure/statistics.hpp"

namespace pleat::bench {
namespace {

[[noreturn]] inline void refuse_sweep(const std::string& origin, const std::string& what) {
  throw usage_error(origin + ": " + what + "; give a file that pleat sweep --json wrote");
}

/// Entry of a sweep's benchmarks[], with its place. A function throws pleat::usage_error, naming
/// the file, the entry and what is wrong, if the entry is not as a sweep writes it.
class sweep_entry {
 public:
  using json = nlohmann::ordered_json;

  sweep_entry(const json& entry, std::size_t index, const std::string& origin)
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

  // Reads a number of processors or ranks.
  [[nodiscard]] unsigned counted_or_none(const char* key) const {
    const std::size_t count = count_or_none(key);
    if (count > std::numeric_limits<unsigned>::max()) wrong("has 2^32 " + name(key) + " or more");
    return static_cast<unsigned>(count);
  }

  [[nodiscard]] std::optional<double> number_or_none(const char* key) const {
    const auto found = entry_.find(key);
    if (found == entry_.end() || found->is_null()) return {};
    if (!found->is_number()) wrong("has a \"" + name(key) + "\" that is no number");
    const auto number = found->get<double>();
    // Ratios of such numbers, and times in any unit, are finite.
    if (!(number >= 0 && number <= 1e100))
      wrong("has no " + name(key) + " above zero that can be measured");
    return number;
  }

  [[nodiscard]] bool failed() const {
    const auto found = entry_.find("error_occurred");
    if (found == entry_.end()) return false;
    if (!found->is_boolean()) wrong("has an \"error_occurred\" that is neither true nor false");
    return found->get<bool>();
  }

  [[nodiscard]] double seconds() const {
    static const std::map<std::string_view, double> units{
        {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    const auto unit = units.find(text("time_unit"));
    if (unit == units.end()) wrong("has an unknown time_unit");
    const auto time = number_or_none("real_time");
    const double seconds = time.value_or(0) * unit->second;
    // Rejects times shorter than any clock's and longer than any measurement.
    if (!(seconds > 1e-15 && seconds < 1e12)) wrong("has no real_time above zero");
    return seconds;
  }

  // Checks where the memory of a case was: null if the kernel does not tell.
  void check_pages() const {
    const auto pages = entry_.find("memory_pages");
    if (pages == entry_.end() || pages->is_null()) return;
    const auto is_count = [](const json& one) { return one.is_number_unsigned(); };
    const auto on_node = pages->is_object() ? pages->find("on_node") : pages->end();
    bool right = pages->is_object() && on_node != pages->end() && on_node->is_object() &&
                 std::ranges::all_of(*on_node, is_count);
    for (const char* key : {"page_bytes", "absent", "astray"})
      right = right && pages->contains(key) && is_count((*pages)[key]);
    if (!right) wrong("has \"memory_pages\" that are no counts of pages by node");
  }

  [[nodiscard]] bool has(const char* key) const { return entry_.contains(key); }
  [[nodiscard]] std::size_t index() const { return index_; }

  [[noreturn]] void wrong(const std::string& what) const {
    refuse_sweep(origin_, "benchmarks[" + std::to_string(index_) + "] " + what);
  }

 private:
  static std::string name(const char* key) { return key; }

  const json& entry_;
  std::size_t index_;
  const std::string& origin_;
};

using json = nlohmann::ordered_json;

case_keys keys_of(const sweep_entry& entry) {
  case_keys keys;
  keys.program = entry.text_or_none("program");
  keys.library = entry.text_or_none("library");
  if (keys.library.empty()) keys.library = "pleat";
  keys.type = entry.text_or_none("type");
  keys.distribution = entry.text_or_none("distribution");
  keys.n = entry.count_or_none("n");
  keys.processors = entry.counted_or_none("processors");
  keys.place = entry.text_or_none("place");
  keys.memory = entry.text_or_none("memory");
  keys.pages = entry.text_or_none("pages");
  keys.wait = entry.text_or_none("wait");
  keys.hardware_threads = entry.text_or_none("hardware_threads");
  keys.scaling = entry.text_or_none("scaling");
  if (!keys.scaling.empty() && keys.scaling != "strong" && keys.scaling != "weak")
    entry.wrong("has a \"scaling\" that is neither strong nor weak");
  keys.per_processor = entry.count_or_none("per_processor");
  keys.ranks = entry.counted_or_none("ranks");
  keys.mpi = entry.text_or_none("mpi");
  if (keys.ranks != 0 && keys.processors % keys.ranks != 0)
    entry.wrong("has \"processors\" that are no multiple of its \"ranks\"");
  return keys;
}

// Checks the fields of a median that add_entry does not read but the HTML page shows.
void check_median(const sweep_entry& entry) {
  static_cast<void>(entry.seconds());
  for (const char* key : {"interval_low_s", "interval_high_s"})
    static_cast<void>(entry.number_or_none(key));
  static_cast<void>(entry.text_or_none("stopped"));
  entry.check_pages();
}

void add_entry(measured_case& to, const sweep_entry& entry) {
  if (entry.failed()) {
    to.failure = entry.text_or_none("error_message");
    return;
  }
  const auto type = entry.text("run_type");
  if (type != "iteration" && type != "aggregate") entry.wrong("has an unknown run_type");
  if (to.keys != keys_of(entry))
    entry.wrong("has a run_name of an earlier entry and is another case");
  if (type == "iteration") {
    to.samples.push_back(entry.seconds());
  } else if (entry.text_or_none("aggregate_name") == "median") {
    check_median(entry);
    to.speedup = entry.number_or_none("speedup");
    to.efficiency = entry.number_or_none("efficiency");
    to.predicted_s = entry.number_or_none("predicted_s");
  }
}

// Finds duplicates: entries of the same case that are the same repetition or the same aggregate.
class entries_seen {
 public:
  void add(const sweep_entry& entry, const std::string& run_name) {
    std::string which = "failure";
    if (!entry.failed()) {
      which = entry.text_or_none("aggregate_name");
      if (entry.text("run_type") == "iteration") {
        if (!entry.has("repetition_index")) return;
        which = "repetition " + std::to_string(entry.count_or_none("repetition_index"));
      }
    }
    const auto [first, is_new] = seen_.try_emplace({run_name, which}, entry.index());
    if (!is_new)
      entry.wrong("is a second " + which + " of its case, after benchmarks[" +
                  std::to_string(first->second) + "], and a file has one sweep");
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> seen_;
};

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
    refuse_sweep(origin, "this is no sweep: it has no list \"benchmarks\"");
  if (!document.contains("context") || !document["context"].is_object() ||
      !document["context"].contains("pleat") || !document["context"]["pleat"].is_object())
    refuse_sweep(origin, "this is not a sweep of Pleat's: it has no object context.pleat");
  const json& context = document["context"];
  sweep_file sweep{origin, text_in(context, "host_name"), text_in(context, "date"), {}};
  std::map<std::string, std::size_t> place_of;
  entries_seen seen;
  std::size_t index = 0;
  for (const json& one : document["benchmarks"]) {
    const sweep_entry entry(one, index++, sweep.origin);
    const auto name = entry.text("run_name");
    const auto [place, is_new] = place_of.try_emplace(name, sweep.cases.size());
    if (is_new) {
      sweep.cases.emplace_back();
      sweep.cases.back().name = name;
      sweep.cases.back().keys = keys_of(entry);
    }
    seen.add(entry, name);
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
