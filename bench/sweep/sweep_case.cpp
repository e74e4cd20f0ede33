// SPDX-License-Identifier: Apache-2.0
#include "sweep_case.hpp"

#include "fields_json.hpp"
#include "tool/printable.hpp"

namespace pleat::bench {

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
