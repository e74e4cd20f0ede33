// SPDX-License-Identifier: Apache-2.0
#include "sweep_result.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <new>
#include <tuple>

#include <pleat/runtime/machine_model.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/probe.hpp>

#include "measure/child_process.hpp"
#include "predict/prediction.hpp"
#include "probe/probe_report.hpp"
#include "rank_launch.hpp"
#include "tool/sweep_program.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

/// Predictor of D-BSP for a case before it is run: the time on one processor, shared evenly, times
/// the contention of the processors, and D(n, p, g, l) with the g and l of these processors. Each
/// set of processors is probed once.
///
/// The prediction leaves out work that p processors do and one does not, and between ranks the
/// contention: the measured time shows both.
class predictor {
 public:
  /// Seconds of an operation on the case's processors. `alone`: its seconds on one of them. Costs
  /// are those of a call, of which a batch of operations has equal shares.
  ///
  /// Over ranks, what is exchanged is counted by costs_over_ranks, and each number of ranks is
  /// probed once by `probe` of their tool.
  ///
  /// None where the model says nothing: a run of fewer virtual processors than processors, a run
  /// that cannot be counted, processors that share a PU, and where the probe fails (a warning says
  /// why).
  [[nodiscard]] std::optional<double> seconds(const case_record& record, double alone) {
    const auto& at = record.at;
    if (at.processors == 1) return alone;
    if (at.ranks == 1U) return std::nullopt;  // its costs are those of one machine
    std::optional<rank_costs> over_ranks;
    if (at.ranks) over_ranks = costs_over_ranks(work_of(at), {*at.ranks, at.processors_of_rank()});
    if (at.ranks ? !over_ranks : !record.costs || record.costs->vps < at.processors)
      return std::nullopt;
    const std::tuple processors(at.ranks, at.processors, at.mpi.value_or(at.place));
    if (!probed_.contains(processors)) probed_[processors] = model_of(at);
    const auto& model = probed_[processors];
    if (!model) return std::nullopt;
    const double communication = over_ranks
                                     ? over_ranks->seconds(model->g.front(), model->l.front())
                                     : record.costs->communication(*model);
    return alone / at.processors * (over_ranks ? 1 : record.costs->contention) +
           communication / static_cast<double>(at.batch);
  }

 private:
  // If the probe fails, the sweep goes on without a prediction.
  static std::optional<machine_model> model_of(const sweep_case& at) {
    const std::string what =
        std::to_string(at.ranks.value_or(at.processors)) + (at.ranks ? " ranks" : " processors");
    std::string reason;
    try {
      return at.ranks ? model_of_ranks(at, what) : model_of_processors(at);
    } catch (const std::bad_alloc&) {
      reason = "no memory for the probe";
    } catch (const std::exception& failure) {
      reason = failure.what();
    }
    warn("nothing is predicted for " + what + ": " + reason);
    return std::nullopt;
  }
  static std::optional<machine_model> model_of_processors(const sweep_case& at) {
    machine_options on{.processors = at.processors};
    set_place(on, at.place);
    if (place(topology::host(), *on.place, on.processors).oversubscribed) return std::nullopt;
    return measured_model(announced_probe(on, {.machines = 5, .rounds = 20}));
  }
  static std::optional<machine_model> model_of_ranks(const sweep_case& at,
                                                     const std::string& what) {
    if (at.processors > topology::host().available()) return std::nullopt;
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
  }

  /// [ranks, processors, MPI or place]
  std::map<std::tuple<std::optional<unsigned>, unsigned, std::string>, std::optional<machine_model>>
      probed_;
};

library_result measured(const library_samples& taken) {
  const auto seconds = taken.seconds();
  return {taken.library, taken.samples, summarise(seconds), median_interval(seconds)};
}

const library_result* find(const sweep_result& result, const std::string& library) {
  const auto found = std::ranges::find(result.libraries, library, &library_result::library);
  return found == result.libraries.end() ? nullptr : &*found;
}

double steps(const sweep_case& at) { return operation_of(at).steps; }

}  // namespace

std::vector<sweep_result> results_of(std::span<const case_record> records,
                                     const repetition_rule& rule) {
  const visit_plan plan(rule, 0);
  std::vector<sweep_result> results;
  for (const auto& record : records) {
    if (!record.failure && record.rounds() == 0) continue;
    results.push_back({record.at,
                       {},
                       plan.stopped(record),
                       record.failure,
                       record.missing,
                       record.memory_pages,
                       record.ran});
    for (const auto& taken : record.libraries) results.back().libraries.push_back(measured(taken));
  }
  predictor model;
  for (auto& result : results) {
    const auto base = std::ranges::find(results, result.at.on_one(), &sweep_result::at);
    const auto* const ours = find(result, result.at.library());
    for (auto& one : result.libraries) {
      if (&one != ours && ours != nullptr) one.ratio = one.seconds.median / ours->seconds.median;
      const auto* const alone = base == results.end() ? nullptr : find(*base, one.library);
      if (alone == nullptr) continue;
      // A transform of one point does nothing.
      const double more_work = result.at.n == base->at.n ? 1 : steps(result.at) / steps(base->at);
      const double seconds_alone = alone->seconds.median * more_work;
      one.speedup = seconds_alone / one.seconds.median;
      one.efficiency = *one.speedup / result.at.processors;
      if (&one != ours || result.at.command) continue;
      const auto record_of = [&](const sweep_case& at) -> const case_record& {
        return *std::ranges::find(records, at, &case_record::at);
      };
      const auto& record = record_of(result.at);
      one.predicted =
          record_of(base->at).predicted ? record.predicted : model.seconds(record, seconds_alone);
      if (one.predicted && record.costs && !record.at.ranks)
        one.contention = record.costs->contention;
    }
  }
  return results;
}

}  // namespace pleat::bench
