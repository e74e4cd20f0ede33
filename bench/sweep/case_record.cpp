// SPDX-License-Identifier: Apache-2.0
#include "case_record.hpp"

#include <algorithm>

#include "fields_json.hpp"
#include "tool/printable.hpp"

namespace pleat::bench {
namespace {

// Time of one of the operations of a call.
sample of_one(const sample& call, std::size_t batch) {
  const auto operations = static_cast<double>(batch);
  return {call.seconds / operations, call.cpu_seconds / operations, call.iterations * batch};
}

std::vector<sample>& samples_of(std::vector<library_samples>& all, const std::string& library) {
  auto found = std::ranges::find(all, library, &library_samples::library);
  // Ours comes first, the rivals in the order they are met.
  if (found == all.end())
    found = all.insert(is_ours(library) ? all.begin() : all.end(), {library, {}});
  return found->samples;
}

}  // namespace

std::vector<double> library_samples::seconds() const {
  std::vector<double> all;
  for (const auto& one : samples) all.push_back(one.seconds);
  return all;
}

void case_record::apply(const nlohmann::ordered_json& event) {
  if (event.contains("visit")) {
    visit_samples = 0;
    visit_seconds = 0;
  }
  if (event.contains("elapsed")) {
    const double elapsed = event.at("elapsed").get<double>();
    seconds += elapsed - visit_seconds;
    visit_seconds = elapsed;
  }
  if (event.contains("ready")) {
    missing.clear();
    for (const auto& one : event.at("ready").value("missing", nlohmann::ordered_json::array()))
      missing.emplace_back(one.at(0).get<std::string>(), one.at(1).get<std::string>());
  }
  if (const auto round = round_from(event)) {
    for (const auto& [library, taken] : *round)
      samples_of(libraries, library).push_back(of_one(taken, at.batch));
    if (visit_samples++ == 0) ++visits;
    predicted.reset();
  }
  if (event.contains("costs")) {
    counted = true;
    if (!event.at("costs").is_null()) costs = fields_from<case_costs>(event.at("costs"));
  }
  if (event.contains("memory_pages")) memory_pages = event.at("memory_pages");
  if (event.contains("ran")) ran = event.at("ran");
  if (event.contains("predicted")) predicted = event.at("predicted").get<double>();
  if (event.contains("failed")) failure = event.at("failed").get<std::string>();
  events.push_back(event);
}

std::size_t case_record::rounds() const {
  return libraries.empty() ? 0 : libraries.front().samples.size();
}

double case_costs::communication(const machine_model& model) const {
  constexpr double probed_bytes = 8;
  const double words = static_cast<double>(element_bytes) / probed_bytes;
  const std::size_t levels = std::min<std::size_t>(supersteps.size(), model.levels());
  double seconds = 0;
  for (std::size_t i = 0; i < levels; ++i)
    seconds += static_cast<double>(messages[levels][i]) * words * model.g[i] +
               static_cast<double>(supersteps[i]) * model.l[i];
  return seconds;
}

case_costs costs_of(const cost_trace& trace, std::size_t element_bytes) {
  case_costs costs{trace.v(), element_bytes, {}, {{}}};
  for (unsigned j = 1; j <= trace.labels(); ++j) {
    costs.supersteps.push_back(trace.S(j - 1));
    auto& folding = costs.messages.emplace_back();
    for (unsigned label = 0; label < j; ++label) folding.push_back(trace.F(label, j));
  }
  return costs;
}

std::string sweep_case::name() const {
  const sweep_case usual;
  std::string text = program;
  if (!command) text += "/" + type + "/" + distribution;
  if (command && !type.empty()) text += "/" + type;
  if (!command || n != 0) text += "/n:" + std::to_string(n);
  text += "/processors:" + std::to_string(processors) + "/place:" + place;
  if (memory != usual.memory) text += "/memory:" + memory;
  if (pages != usual.pages) text += "/pages:" + pages;
  if (wait != usual.wait) text += "/wait:" + wait;
  if (per_processor != 0) text += "/per-processor:" + std::to_string(per_processor);
  if (batch != 1) text += "/batch:" + std::to_string(batch);
  if (ranks) text += "/ranks:" + std::to_string(*ranks) + "/mpi:" + mpi.value_or("");
  return text;
}

std::string sweep_case::readable(double seconds) const {
  if (!unit) return readable_time(seconds);
  if (*unit == "bytes") return readable_bytes(seconds);
  return readable_number(better == "more" ? 1 / seconds : seconds) + " " + *unit;
}

sweep_case sweep_case::on_one() const {
  auto one = *this;
  one.processors = 1;
  if (ranks) one.ranks = 1;
  if (per_processor != 0) one.n = per_processor;
  return one;
}

machine_options sweep_case::options() const {
  machine_options chosen;
  chosen.processors = processors;
  set_place(chosen, place);
  chosen.memory = parse_memory_policy(memory + "/" + pages);
  chosen.wait = parse_wait_policy(wait);
  return chosen;
}

nlohmann::ordered_json case_json(const sweep_case& at) {
  auto keys = fields_json(at);
  keys["hardware_threads"] = at.hardware_threads();
  keys["scaling"] = at.scaling();
  return keys;
}

sweep_case case_from(const nlohmann::ordered_json& keys) { return fields_from<sweep_case>(keys); }

}  // namespace pleat::bench
