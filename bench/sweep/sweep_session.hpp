// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "case_record.hpp"
#include "journal.hpp"
#include "report/report_document.hpp"
#include "sweep_axes.hpp"
#include "sweep_result.hpp"
#include "visit_plan.hpp"

namespace pleat::bench {

struct sweep_settings {
  repetition_rule rule;
  double seconds = 0.01;  ///< that a sample lasts at least
  /// The programs that pleat-rivals measures, samples of all libraries in turns, each with the
  /// rivals that take part; empty: those that usually do.
  std::map<std::string, std::vector<std::string>> rivals;
  swept_command command;  ///< what is measured instead of programs, if there is one
  std::uint64_t seed = 1;
  double rank_patience = 300;  ///< seconds: ranks that say nothing for so long are ended
};

/// Measures the cases that are not done yet, each visit in a process of its own: what one case does
/// to memory, threads or the process is not seen by the next, and a case that ends its process ends
/// nothing else.
///
/// The journal, if there is one, has each event first. A case that fails has its reason in its
/// record; the others go on.
///
/// Returns: the signal (SIGINT, SIGTERM, SIGHUP) that interrupted it, else 0. The records hold what
/// was measured before.
/// Throws: pleat::error if the journal cannot be written or no process can be started.
[[nodiscard]] int run_sweep(std::vector<case_record>& records, const sweep_settings& settings,
                            journal* kept);

/// Names of the outputs of a sweep; empty: none; "-": standard output.
struct output_names {
  std::string json, csv, markdown, extra_p;
  std::string html;     ///< a file, or a folder for its index.html
  std::string against;  ///< an earlier sweep, which is read

  /// Throws: pleat::usage_error if one file would be written twice, or written and read; `journal`
  /// is written too, unless it is empty.
  void check(const std::string& journal) const;

  friend bool operator==(const output_names&, const output_names&) = default;

  /// Visits the fields, as fields_json.hpp wants it.
  static void each_field(auto& names, const auto& f) {
    f("json", names.json);
    f("csv", names.csv);
    f("markdown", names.markdown);
    f("extra_p", names.extra_p);
    f("html", names.html);
    f("against", names.against);
  }
};

/// The files of a sweep. That a place cannot be written, an earlier sweep cannot be read, or this
/// build has no page is found out before the work is done; the files are written last, whole or not
/// at all.
class sweep_outputs {
 public:
  /// Throws: pleat::error naming the file that cannot be written, or read.
  explicit sweep_outputs(const output_names& names);

  /// Writes all files, and the table to standard output unless something else goes there; below it
  /// what is faster or slower than in the earlier sweep.
  void write(std::span<const sweep_result> results, const nlohmann::ordered_json& context);

  /// Prints only what goes to standard output.
  void print(std::span<const sweep_result> results, const nlohmann::ordered_json& context);

 private:
  using form = std::string (*)(std::span<const sweep_result>, const nlohmann::ordered_json&);
  struct target {
    std::string name;
    form text;
  };

  void add(const std::string& name, form text);
  void compare_with(const report_document& before, const report_document& after) const;

  std::vector<target> files_;
  form to_stdout_;    // none: the page goes there
  std::string page_;  // its file; empty: none
  std::optional<report_document> against_;
};

/// Arguments of a sweep on the command line, as they were written.
struct sweep_arguments {
  sweep_axes axes;
  std::string repetitions, precision = "2%", time_limit = "5", seconds = "0.01", seed = "1",
                           rank_timeout = "300";
  std::optional<std::string> rivals;  // given without a value: all
  output_names outputs;

  friend bool operator==(const sweep_arguments&, const sweep_arguments&) = default;

  /// Options as fields_json.hpp has them, each under the name of its option: what a journal keeps.
  static void each_field(auto& chosen, const auto& f) {
    sweep_axes::each_field(chosen.axes, f);
    f("repetitions", chosen.repetitions);
    f("precision", chosen.precision);
    f("time_limit", chosen.time_limit);
    f("min_time", chosen.seconds);
    f("seed", chosen.seed);
    f("rank_timeout", chosen.rank_timeout);
    f("rivals", chosen.rivals);
    output_names::each_field(chosen.outputs, f);
  }
};

/// Settings but the rivals, which depend on the cases. Throws: pleat::usage_error naming the option
/// that makes no sense.
[[nodiscard]] sweep_settings settings_of(const sweep_arguments& chosen);

/// Runs a sweep, from its arguments to its files. `given`: the names of the options that were
/// given; `resume`: as place_of_journal takes it, or empty.
///
/// Throws: pleat::usage_error for arguments that make no sense, before anything is measured;
/// finished if the sweep was interrupted or a case failed, all there is to say having been said.
void sweep_session(sweep_arguments chosen, const std::vector<std::string>& given,
                   const std::string& resume);

}  // namespace pleat::bench
