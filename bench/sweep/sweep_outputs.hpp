// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <nlohmann/json_fwd.hpp>

#include "report/report_document.hpp"
#include "sweep_result.hpp"
#include "tool/output_file.hpp"

namespace pleat::bench {

/// Where the results of a sweep go, by name; empty: nowhere; "-": standard output.
struct output_names {
  std::string json, csv, markdown, extra_p;
  std::string html;     ///< a file, or a folder for its index.html
  std::string against;  ///< an earlier sweep, which is read

  /// Throws: pleat::usage_error if one file would be written twice, or written and read.
  void check() const;

  friend bool operator==(const output_names&, const output_names&) = default;
};

/// As fields_json.hpp has it.
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

/// The files of a sweep. They are opened first, so that a place that cannot be written, an earlier
/// sweep that cannot be read, or a page that this build does not have is found out before the work
/// is done; and they are written last, whole or not at all.
class sweep_outputs {
 public:
  /// Throws: pleat::error naming the file that cannot be written, or read.
  explicit sweep_outputs(const output_names& names);

  /// Writes all files, and the table to standard output unless something else goes there; below it
  /// what is faster or slower than in the earlier sweep.
  void write(std::span<const sweep_result> results, const nlohmann::ordered_json& context);

  /// Only what goes to standard output.
  void print(std::span<const sweep_result> results, const nlohmann::ordered_json& context);

 private:
  using form = std::string (*)(std::span<const sweep_result>, const nlohmann::ordered_json&);
  struct target {
    target(const std::string& name, form shown) : text(shown), file(name) {}

    form text;
    output_file file;
  };

  void add(const std::string& name, form text);
  void compare_with(const report_document& before, const report_document& after) const;

  std::list<target> files_;  // files stay where they are
  form to_stdout_;
  std::optional<output_file> page_;
  std::optional<report_document> against_;
};

}  // namespace pleat::bench
