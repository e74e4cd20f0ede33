// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine_model.hpp>

#include "sweep_program.hpp"

namespace pleat::bench {

/// What D-BSP says of a case before it is run: the time on one processor, shared evenly, and
/// D(n, p, g, l) with the g and l of these processors. Each set of processors is probed once.
///
/// What it leaves out, the measured time shows: work that p processors do and one does not, and
/// memory that all of them share.
class predictor {
 public:
  /// Σ F^i·g_i + S^i·l_i in seconds, elements of `bytes` bytes; 0 for one processor. None where
  /// processors share a PU, which the model does not know, and where others use the processors so
  /// much that a probe says nothing (a warning says so). Throws: what machine's constructor throws.
  std::optional<double> communication(const sweep_case& at, const cost_trace& costs,
                                      std::size_t bytes);

 private:
  static std::optional<machine_model> model_of(const sweep_case& at);

  std::map<std::pair<unsigned, std::string>, std::optional<machine_model>> probed_;
};

}  // namespace pleat::bench
