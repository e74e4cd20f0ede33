// SPDX-License-Identifier: Apache-2.0
#include "probe_report.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>

#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

using nlohmann::ordered_json;

std::string interval_text(const estimate& e) {
  return readable_time(e.value) + " [" + readable_time(e.low) + ", " + readable_time(e.high) + "]";
}

ordered_json interval_json(const estimate& e) {
  return {{"value", e.value}, {"low", e.low}, {"high", e.high}};
}

estimate interval_from(const ordered_json& e) {
  return {e.at("value").get<double>(), e.at("low").get<double>(), e.at("high").get<double>()};
}

std::size_t outliers_of(const level_costs& level) {
  std::size_t sum = 0;
  for (const auto& point : level.points) sum += point.outliers;
  return sum;
}

std::size_t samples_of(const level_costs& level) {
  std::size_t sum = 0;
  for (const auto& point : level.points) sum += point.samples.size();
  return sum;
}

}  // namespace

std::string probe_text(const std::vector<level_costs>& levels) {
  const auto& look = stdout_emphasis();
  table costs({"label", "clusters of", "in", "g, 8 bytes", "l", "outliers"});
  table times({"label", "bytes each way", "superstep", "per second each way"});
  for (const auto& level : levels) {
    costs.add({std::to_string(level.label), std::to_string(level.processors), level.object,
               interval_text(level.g), interval_text(level.l),
               std::to_string(outliers_of(level)) + " of " + std::to_string(samples_of(level))});
    for (const auto& point : level.points) {
      const auto bytes = static_cast<double>(point.bytes);
      times.add({std::to_string(level.label), readable_bytes(bytes), readable_time(point.median),
                 point.bytes == 0 ? "" : readable_bytes(bytes / point.median)});
    }
  }
  return costs.text(look.bold, look.plain, stdout_columns()) + "\n" +
         times.text(look.bold, look.plain, stdout_columns()) +
         "\n[…]: 95 % intervals by bootstrap. A superstep of degree h takes about l + g · h.\n";
}

ordered_json probe_json(const std::vector<level_costs>& levels) {
  auto result = ordered_json::array();
  for (const auto& level : levels) {
    auto points = ordered_json::array();
    for (const auto& point : level.points)
      points.push_back({{"bytes", point.bytes},
                        {"median_s", point.median},
                        {"samples_s", point.samples},
                        {"outliers", point.outliers}});
    result.push_back({{"label", level.label},
                      {"object", level.object},
                      {"processors", level.processors},
                      {"g", interval_json(level.g)},
                      {"l", interval_json(level.l)},
                      {"points", std::move(points)}});
  }
  return result;
}

std::vector<level_costs> probe_from(const ordered_json& levels) {
  std::vector<level_costs> result;
  for (const auto& level : levels) {
    level_costs one{level.at("label").get<unsigned>(),
                    level.at("object").get<std::string>(),
                    level.at("processors").get<std::size_t>(),
                    interval_from(level.at("g")),
                    interval_from(level.at("l")),
                    {}};
    for (const auto& point : level.at("points"))
      one.points.push_back({point.at("bytes").get<std::size_t>(),
                            point.at("median_s").get<double>(),
                            point.at("samples_s").get<std::vector<double>>(),
                            point.at("outliers").get<std::size_t>()});
    result.push_back(std::move(one));
  }
  return result;
}

std::optional<ordered_json> parse_probe(std::string_view text, const std::string& origin) {
  constexpr unsigned most_labels = 64;
  const error no_probe(origin + " is no probe: remove it, it will be made anew");
  auto document = ordered_json::parse(text, nullptr, false);
  if (!document.is_object()) throw no_probe;  // also what is not JSON
  const auto version = document.find("version");
  if (version == document.end()) return std::nullopt;
  if (!version->is_string()) throw no_probe;
  if (*version != PLEAT_VERSION) return std::nullopt;
  try {
    const auto levels = probe_from(document.at("levels"));
    const auto possible = [&](const level_costs& level) {
      return level.label < most_labels && level.processors > 1;
    };
    const auto has_list = [](const ordered_json& level) { return level.at("points").is_array(); };
    if (!document.at("levels").is_array() || !std::ranges::all_of(document.at("levels"), has_list))
      throw no_probe;
    if (levels.empty() || !std::ranges::all_of(levels, possible)) throw no_probe;
    for (const char* key : {"machines", "rounds"})
      if (!document.at(key).is_number_unsigned()) throw no_probe;
    if (document.contains("seed") && !document.at("seed").is_number_unsigned()) throw no_probe;
  } catch (const nlohmann::json::exception&) {
    throw no_probe;
  }
  return document;
}

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_levels = 64;
constexpr auto example = R"({"name": "mine", "g": [2, 1], "l": [60, 20]})";

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw usage_error(origin + ": " + what);
}

// nlohmann's messages hold what it read, line ends included, and have to stay one line.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

json parsed(std::string_view text, const std::string& origin) {
  try {
    return json::parse(text);
  } catch (const json::exception& failure) {
    refuse(origin, one_line("this is not JSON (" + std::string(failure.what()) +
                            "); a machine model looks like ") +
                       example);
  }
}

const json& member(const json& model, const char* key, const std::string& origin) {
  const auto found = model.find(key);
  if (found == model.end())
    refuse(origin, "the key \"" + std::string(key) + "\" is missing; a machine model looks like " +
                       example);
  return *found;
}

// Range of values: its name in errors, and the test for it.
struct value_range {
  const char* text;
  bool zero_allowed;

  [[nodiscard]] bool holds(double x) const {
    return std::isfinite(x) && (x > 0 || (zero_allowed && x == 0));
  }
};

std::vector<double> vector_of(const json& model, const char* key, value_range range,
                              const std::string& origin) {
  const json& list = member(model, key, origin);
  const std::string name(key);
  if (!list.is_array())
    refuse(origin, "\"" + name + "\" is not a list; write one number per level: [2, 1]");
  if (list.empty())
    refuse(origin, "\"" + name + "\" is empty; write one number per level, outermost first");
  if (list.size() > most_levels)
    refuse(origin, "\"" + name + "\" has " + std::to_string(list.size()) +
                       " levels; the most are " + std::to_string(most_levels));
  std::vector<double> values;
  for (const json& entry : list) {
    const std::string place = "\"" + name + "\"[" + std::to_string(values.size()) + "]";
    if (!entry.is_number()) refuse(origin, one_line(place + " is no number; write " + range.text));
    const double value = entry.get<double>();
    if (!range.holds(value))
      refuse(origin, place + " is " + entry.dump() + "; write " + range.text);
    values.push_back(value);
  }
  return values;
}

}  // namespace

machine_model parse_model(std::string_view text, const std::string& origin) {
  const json model = parsed(text, origin);
  if (!model.is_object())
    refuse(origin, std::string("this is not a JSON object; a machine model looks like ") + example);
  const json& name = member(model, "name", origin);
  if (!name.is_string() || name.get_ref<const std::string&>().empty())
    refuse(origin, "\"name\" is no text, or empty; give the model a name: \"name\": \"mine\"");
  machine_model result{name.get<std::string>(),
                       vector_of(model, "g", {"a time per message above 0", false}, origin),
                       vector_of(model, "l", {"a time per superstep of 0 or more", true}, origin)};
  if (result.g.size() != result.l.size())
    refuse(origin, "\"g\" has " + std::to_string(result.g.size()) + " levels and \"l\" has " +
                       std::to_string(result.l.size()) +
                       "; write one number per level in each of them");
  return result;
}

machine_model read_model(const std::filesystem::path& path) {
  const auto unreadable = [&path](int number) {
    return error("cannot read the machine model " + path.string() + ": " +
                 std::generic_category().message(number == 0 ? EIO : number));
  };
  if (std::filesystem::is_directory(path)) throw unreadable(EISDIR);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(errno);
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure&) {
    throw unreadable(errno);
  }
  return parse_model(text, path.string());
}

}  // namespace pleat::bench
