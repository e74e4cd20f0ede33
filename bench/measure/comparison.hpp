// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array_pages.hpp"
#include "benchmark_options.hpp"
#include "interleave.hpp"

namespace pleat::bench {

/// An absolute figure beside a time, by its name in the JSON.
struct absolute_figure {
  const char* name;
  double value;
};

/// One measurement of Pleat beside its rivals.
struct comparison {
  std::string measure;    ///< what is timed, e.g. "round trip of 8 bytes"
  std::string type = {};  ///< of the elements; empty where there are none
  std::size_t n = 0;      ///< problem size; of what, the benchmark says
  unsigned processors = 0;
  std::size_t repetitions = 0;
  candidate ours = {};
  std::vector<candidate> rivals = {};     ///< named as in all_rivals; may be empty
  std::vector<std::string> missing = {};  ///< rivals this build does not have
  /// Rivals that were to take part and could not, each with the reason.
  std::vector<std::pair<std::string, std::string>> failed = {};

  /// Function that makes a figure of the median of ours in seconds: added to the results.
  std::function<absolute_figure(double)> figure = {};

  /// The rivals are Pleat without one thing it does; the figure is what that thing adds.
  bool surcharge = false;

  bench::pace pace = {};

  /// Arrays that all of them work on, where these are long-lived.
  measured_arrays arrays = {};

  /// Adds a rival if it is wanted and linked; if only wanted, names it as missing.
  void add_rival(const benchmark_options& options, std::string_view rival,
                 const std::function<candidate()>& make, bool by_default = true);
};

/// Measures a comparison and keeps its results.
using runner = std::function<void(const comparison&)>;

}  // namespace pleat::bench
