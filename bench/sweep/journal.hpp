// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure/child_process.hpp"

namespace pleat::bench {

/// Content of a journal: the description of its sweep, and the events of its cases (case_record).
struct journal_contents {
  nlohmann::ordered_json header;
  std::vector<std::pair<std::size_t, nlohmann::ordered_json>> events;  ///< case and event
};

/// File to which a sweep writes every repetition as soon as it is finished, one line of JSON each.
/// So no measurement is lost if the sweep is interrupted. The first line describes the sweep. The
/// file is locked during the lifetime of this object, so that no other sweep writes to it.
class journal {
 public:
  /// Kind of file under a name. `begun`: a header that was cut, or nothing in the file: no sweep
  /// got as far as its first case.
  enum class found { nothing, begun, whole, other };
  [[nodiscard]] static found look_at(const std::filesystem::path& file);

  /// Creates a journal; a file of kind `begun` is replaced.
  /// Throws: pleat::usage_error if there is another file of that name; pleat::error if it cannot be
  /// written, and then leaves no file.
  [[nodiscard]] static journal begin(const std::filesystem::path& file,
                                     const nlohmann::ordered_json& header);

  /// Continues a journal; a last line that was cut is removed first.
  /// Throws: pleat::usage_error if another sweep writes to it, or if it was damaged.
  [[nodiscard]] static journal go_on(const std::filesystem::path& file);

  /// Content when the journal was opened.
  [[nodiscard]] const journal_contents& contents() const { return contents_; }

  /// Throws: pleat::error if it cannot be written.
  void add(std::size_t index, const nlohmann::ordered_json& event);

  /// Removes the file, when the sweep is finished.
  void remove();

 private:
  explicit journal(std::filesystem::path file) : file_(std::move(file)) {}

  void open(bool make);
  void cut_to(std::size_t bytes);
  void write(const nlohmann::ordered_json& line);
  [[nodiscard]] journal_contents parsed(std::string_view text) const;
  [[noreturn]] void fail(const char* doing, int number) const;

  std::filesystem::path file_;
  journal_contents contents_;
  file_descriptor descriptor_;
};

}  // namespace pleat::bench
