// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/statistics.hpp"

namespace pleat::bench {

/// Keys that set a case apart from others of its sweep. Empty texts and zeros in a file that does
/// not say them.
struct case_keys {
  std::string program;
  std::string library;  ///< "pleat" or a rival's name
  std::string type;
  std::string distribution;
  std::size_t n = 0;
  unsigned processors = 0;
  std::string place;
  std::string memory;
  std::string pages;
  std::string wait;
  std::string hardware_threads;
  std::string scaling;            ///< "strong" or "weak"
  std::size_t per_processor = 0;  ///< weak scaling: the size on one processor
  unsigned ranks = 0;             ///< processes of an MPI; 0: one process without an MPI
  std::string mpi;

  /// Processors of one of the ranks; 0 if there are none.
  [[nodiscard]] unsigned processors_of_rank() const { return ranks == 0 ? 0 : processors / ranks; }

  friend bool operator==(const case_keys&, const case_keys&) = default;
};

/// Case of a sweep, as its file has it.
struct measured_case {
  std::string name;  ///< run_name: no other case of the file has it
  case_keys keys;
  std::vector<double> samples;         ///< seconds, one for each repetition; empty if it failed
  std::optional<std::string> failure;  ///< why
  double median_s = 0;
  std::optional<interval> median_within;  ///< of the samples, at 95 %
  // Figures that the sweep computed.
  std::optional<double> speedup;
  std::optional<double> efficiency;
  std::optional<double> predicted_s;

  [[nodiscard]] bool measured() const { return !samples.empty(); }
};

/// Content of a file of `pleat sweep --json`.
struct sweep_file {
  std::string origin;     ///< the file's name, for messages
  std::string host_name;  ///< empty if it is not in the file
  std::string date;
  std::vector<measured_case> cases;  ///< in the order of the file

  /// Tells whether every case says program, n and processors: files of Pleat 0.1 did not.
  [[nodiscard]] bool has_keys() const;
  /// Throws: pleat::usage_error if not.
  void require_keys() const;
};

/// Throws: pleat::usage_error naming `origin` and what in the document is not as a sweep writes it.
[[nodiscard]] sweep_file sweep_from(const nlohmann::ordered_json& document,
                                    const std::string& origin);

}  // namespace pleat::bench
