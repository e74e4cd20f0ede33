// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "case_record.hpp"
#include "journal.hpp"
#include "sweep_session.hpp"

namespace pleat::bench {

/// Place of the journal of a sweep. A sweep that writes `F.json` keeps it in `F.json.part`; a file
/// of its own can be named too.
struct journal_place {
  std::filesystem::path file;  ///< empty: none is kept
  std::string json;            ///< where the results go; empty: where the journal says
  bool begun = false;          ///< there is one to go on with
  bool finished = false;       ///< the results are there already, and no journal yet
};

/// `json` and `resume` as they were given on the command line, or empty. `resume` may name the
/// results or the journal; where there is neither, the sweep begins.
/// Throws: pleat::usage_error for a file that is neither.
[[nodiscard]] journal_place place_of_journal(const std::string& json, const std::string& resume);

/// The first line of a journal.
struct journal_header {
  sweep_arguments arguments;
  std::vector<sweep_case> cases;
  nlohmann::ordered_json machine;  ///< and the build: what all parts of a sweep have in common

  /// Changes the arguments of the journal: those of `chosen` whose options were `given` take their
  /// place. A precision or a time limit replaces a number of repetitions. Throws:
  /// pleat::usage_error if samples taken with these arguments could not be put together with those
  /// of the journal.
  [[nodiscard]] sweep_arguments changed(const sweep_arguments& chosen,
                                        std::span<const std::string> given,
                                        const std::filesystem::path& file) const;

  /// Brings the records to where the journal left them.
  /// Throws: pleat::usage_error if the cases are others or the events make no sense.
  void replay(const journal_contents& contents, const std::filesystem::path& file,
              std::vector<case_record>& records) const;

  /// Throws: pleat::usage_error if the machine or the build is not that which began it, so that no
  /// samples can be added.
  void require_machine(const nlohmann::ordered_json& now, const std::filesystem::path& file) const;
};

/// Throws: pleat::usage_error if something is missing.
[[nodiscard]] journal_header header_from(const nlohmann::ordered_json& header,
                                         const std::filesystem::path& file);

/// Record that the results of a sweep keep as `context.pleat.sweep`, so that they can be gone on
/// with: the header of its journal and the events of each case, the last of which is what the model
/// said.
[[nodiscard]] nlohmann::ordered_json resumable_sweep(nlohmann::ordered_json header,
                                                     std::span<const case_record> records,
                                                     std::span<const sweep_result> results);

/// The journal that leads to these results. Throws: pleat::usage_error naming the file if it keeps
/// no `context.pleat.sweep`.
[[nodiscard]] journal_contents contents_of_finished(const nlohmann::ordered_json& report,
                                                    const std::string& file);

}  // namespace pleat::bench
