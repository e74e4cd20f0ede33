// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <pleat/runtime/machine_model.hpp>

#include "case_record.hpp"

namespace pleat::bench {

/// Predictor of D-BSP for a case before it is run: the time on one processor, shared evenly, and
/// D(n, p, g, l) with the g and l of these processors. Each set of processors is probed once.
///
/// What it leaves out, the measured time shows: work that p processors do and one does not, and
/// memory that all of them share.
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
  [[nodiscard]] std::optional<double> seconds(const case_record& record, double alone);

 private:
  static std::optional<machine_model> model_of(const sweep_case& at);
  static std::optional<machine_model> model_of_ranks(const sweep_case& at);
  [[nodiscard]] std::optional<double> seconds_of_ranks(const sweep_case& at, double alone);

  std::map<std::pair<unsigned, std::string>, std::optional<machine_model>> probed_;
  /// [ranks, processors, MPI]
  std::map<std::tuple<unsigned, unsigned, std::string>, std::optional<machine_model>> ranks_;
};

}  // namespace pleat::bench
