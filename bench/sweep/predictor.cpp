// SPDX-License-Identifier: Apache-2.0
#include "predictor.hpp"

#include <exception>
#include <new>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/probe.hpp>

#include "tool/probe_document.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {

std::optional<machine_model> predictor::model_of(const sweep_case& at) {
  const machine_options on{.processors = at.processors, .place = parse_placement(at.place)};
  if (place(topology::host(), *on.place, on.processors).oversubscribed) return std::nullopt;
  // What was measured is not lost to a probe that fails.
  auto nothing = [&](const std::string& reason) -> std::optional<machine_model> {
    warn("nothing is predicted for " + std::to_string(at.processors) + " processors: " + reason);
    return std::nullopt;
  };
  try {
    return measured_model(announced_probe(on, {.machines = 5, .rounds = 20}));
  } catch (const std::bad_alloc&) {
    return nothing("no memory for the probe");
  } catch (const std::exception& failure) {
    return nothing(failure.what());
  }
}

std::optional<double> predictor::seconds(const case_record& record, double alone) {
  const auto& at = record.at;
  if (at.processors == 1) return alone;
  if (!record.costs || record.costs->vps < at.processors) return std::nullopt;
  const std::pair processors(at.processors, at.place);
  if (!probed_.contains(processors)) probed_[processors] = model_of(at);
  const auto& model = probed_[processors];
  if (!model) return std::nullopt;
  return alone / at.processors + record.costs->communication(*model);
}

}  // namespace pleat::bench
