// SPDX-License-Identifier: Apache-2.0
#include "predictor.hpp"

#include <chrono>
#include <exception>
#include <new>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/probe.hpp>

#include "measure/child_process.hpp"
#include "measure/rank_launch.hpp"
#include "predict/ranked_case.hpp"
#include "tool/model_file.hpp"
#include "tool/probe_document.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {

std::optional<machine_model> predictor::model_of(const sweep_case& at) {
  machine_options on{.processors = at.processors};
  set_place(on, at.place);
  if (place(topology::host(), *on.place, on.processors).oversubscribed) return std::nullopt;
  // If the probe fails, the sweep goes on without a prediction.
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

std::optional<machine_model> predictor::model_of_ranks(const sweep_case& at) {
  if (at.processors > topology::host().available()) return std::nullopt;
  const std::string what = std::to_string(*at.ranks) + " ranks";
  try {
    note("probing " + what + " of " + at.mpi.value());
    const rank_launch how = launch_ranks(find_mpi(at.mpi.value()), *at.ranks, false,
                                         {"probe", "--json", "--rounds", "20", "--processors",
                                          std::to_string(at.processors_of_rank())});
    child_process probing(how.program, how.arguments, {.environment = how.environment});
    probing.close_input();
    constexpr std::chrono::seconds patience(60);
    probing.expect_within(patience);
    const std::string said = probing.read_rest();
    if (const int code = probing.wait(); code != 0)
      throw environment_error("the probe ended with exit code " + std::to_string(code));
    return parse_model(said, "the probe");
  } catch (const std::bad_alloc&) {
    warn("nothing is predicted for " + what + ": no memory for the probe");
  } catch (const std::exception& failure) {
    warn("nothing is predicted for " + what + ": " + failure.what());
  }
  return std::nullopt;
}

std::optional<double> predictor::seconds_of_ranks(const sweep_case& at, double alone) {
  const unsigned workers = at.processors_of_rank();
  if (*at.ranks == 1) return std::nullopt;  // of more processors the costs are those of one machine
  const auto costs = costs_over_ranks(work_of(at), {*at.ranks, workers});
  if (!costs) return std::nullopt;
  const std::tuple ranks(*at.ranks, at.processors, at.mpi.value());
  if (!ranks_.contains(ranks)) ranks_[ranks] = model_of_ranks(at);
  const auto& model = ranks_[ranks];
  if (!model) return std::nullopt;
  return alone / at.processors +
         costs->seconds(model->g.front(), model->l.front()) / static_cast<double>(at.batch);
}

std::optional<double> predictor::seconds(const case_record& record, double alone) {
  const auto& at = record.at;
  if (at.processors == 1) return alone;
  if (at.ranks) return seconds_of_ranks(at, alone);
  if (!record.costs || record.costs->vps < at.processors) return std::nullopt;
  const std::pair processors(at.processors, at.place);
  if (!probed_.contains(processors)) probed_[processors] = model_of(at);
  const auto& model = probed_[processors];
  if (!model) return std::nullopt;
  return alone / at.processors +
         record.costs->communication(*model) / static_cast<double>(at.batch);
}

}  // namespace pleat::bench
