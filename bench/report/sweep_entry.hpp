// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

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

}  // namespace pleat::bench
