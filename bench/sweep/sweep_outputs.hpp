// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/report_document.hpp"
#include "sweep_result.hpp"

namespace pleat::bench {

/// Names of the outputs of a sweep; empty: none; "-": standard output.
struct output_names {
  std::string json, csv, markdown, extra_p;
  std::string html;     ///< a file, or a folder for its index.html
  std::string against;  ///< an earlier sweep, which is read

  /// Throws: pleat::usage_error if one file would be written twice, or written and read; `journal`
  /// is written too, unless it is empty.
  void check(const std::string& journal) const;

  friend bool operator==(const output_names&, const output_names&) = default;
};

/// Visits the fields, as fields_json.hpp wants it.
template <class Names, class F>
void each_field(Names& names,
                const F& f) requires std::same_as<std::remove_const_t<Names>, output_names> {
  f("json", names.json);
  f("csv", names.csv);
  f("markdown", names.markdown);
  f("extra_p", names.extra_p);
  f("html", names.html);
  f("against", names.against);
}

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

}  // namespace pleat::bench
