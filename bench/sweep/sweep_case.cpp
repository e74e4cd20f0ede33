// SPDX-License-Identifier: Apache-2.0
#include "sweep_case.hpp"

#include <nlohmann/json.hpp>

namespace pleat::bench {

std::string sweep_case::name() const {
  const sweep_case usual;
  std::string text = program + "/" + type + "/" + distribution + "/n:" + std::to_string(n) +
                     "/processors:" + std::to_string(processors) + "/place:" + place;
  if (memory != usual.memory) text += "/memory:" + memory;
  if (pages != usual.pages) text += "/pages:" + pages;
  if (wait != usual.wait) text += "/wait:" + wait;
  if (per_processor != 0) text += "/per-processor:" + std::to_string(per_processor);
  return text;
}

sweep_case sweep_case::on_one() const {
  auto one = *this;
  one.processors = 1;
  if (per_processor != 0) one.n = per_processor;
  return one;
}

std::string sweep_case::hardware_threads() const {
  return parse_placement(place).every_pu ? "all" : "one";
}

machine_options sweep_case::options() const {
  machine_options chosen;
  chosen.processors = processors;
  chosen.place = parse_placement(place);
  chosen.memory = parse_memory_policy(memory + "/" + pages);
  chosen.wait = parse_wait_policy(wait);
  return chosen;
}

nlohmann::ordered_json case_json(const sweep_case& at) {
  return {{"program", at.program},
          {"type", at.type},
          {"distribution", at.distribution},
          {"n", at.n},
          {"processors", at.processors},
          {"place", at.place},
          {"memory", at.memory},
          {"pages", at.pages},
          {"wait", at.wait},
          {"hardware_threads", at.hardware_threads()},
          {"scaling", at.per_processor == 0 ? "strong" : "weak"},
          {"per_processor", at.per_processor}};
}

sweep_case case_from(const nlohmann::ordered_json& keys) {
  sweep_case at;
  keys.at("program").get_to(at.program);
  keys.at("type").get_to(at.type);
  keys.at("distribution").get_to(at.distribution);
  keys.at("n").get_to(at.n);
  keys.at("processors").get_to(at.processors);
  keys.at("place").get_to(at.place);
  keys.at("memory").get_to(at.memory);
  keys.at("pages").get_to(at.pages);
  keys.at("wait").get_to(at.wait);
  keys.at("per_processor").get_to(at.per_processor);
  return at;
}

}  // namespace pleat::bench
