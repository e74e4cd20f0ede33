// SPDX-License-Identifier: Apache-2.0
#include "probe_report.hpp"

#include <algorithm>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>

#include "report/checked_json.hpp"
#include "report/json_file.hpp"
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

// A cost on each level, outermost first.
std::vector<double> costs_in(const checked_json& model, const char* key, bool zero_allowed) {
  constexpr std::size_t most_levels = 64;
  const checked_json list = model.at(key);
  if (list.size() == 0 || list.size() > most_levels)
    list.wrong("has " + std::to_string(list.size()) + " levels, and needs 1 to 64");
  std::vector<double> values;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const checked_json entry = list.at(i);
    values.push_back(entry.number());
    if (values.back() == 0 && !zero_allowed) entry.wrong("is no time above zero");
  }
  return values;
}

machine_model model_from(const ordered_json& document, const std::string& origin) {
  const checked_json model(
      document, origin,
      R"(a machine model looks like {"name": "mine", "g": [2, 1], "l": [60, 20]})");
  const checked_json name = model.at("name");
  if (name.text().empty()) name.wrong("is empty");
  machine_model result{name.text(), costs_in(model, "g", false), costs_in(model, "l", true)};
  if (result.g.size() != result.l.size())
    model.wrong("has " + std::to_string(result.g.size()) + " levels of g and " +
                std::to_string(result.l.size()) + " of l");
  return result;
}

}  // namespace

machine_model parse_model(std::string_view text, const std::string& origin) {
  return model_from(json_from(text, origin), origin);
}

machine_model read_model(const std::string& file) { return model_from(read_json_file(file), file); }

}  // namespace pleat::bench
