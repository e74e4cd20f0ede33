// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace pleat::bench {

/// What a journal holds: the sweep it is of, and what happened to its cases (case_record).
struct journal_contents {
  nlohmann::ordered_json header;
  std::vector<std::pair<std::size_t, nlohmann::ordered_json>> events;  ///< case and event
};

/// The file a sweep writes every repetition to as soon as it is finished, one line of JSON each, so
/// that whatever ends the sweep, nothing that was measured is lost. The first line says which sweep
/// it is.
class journal {
 public:
  /// Begins a new one. Throws: pleat::usage_error if there is a file of that name already;
  /// pleat::error if it cannot be written.
  journal(std::filesystem::path file, const nlohmann::ordered_json& header);

  /// Goes on with what `read` gave; a last line that was cut is taken away first.
  explicit journal(std::filesystem::path file);

  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;
  ~journal();

  /// Throws: pleat::error if it cannot be written.
  void add(std::size_t index, const nlohmann::ordered_json& event);

  /// The sweep is finished: the file is removed.
  void remove();

  /// Throws: pleat::usage_error naming the file if it cannot be read or is no journal. A last line
  /// without its end is left out.
  [[nodiscard]] static journal_contents read(const std::filesystem::path& file);

  /// Whether a file can be read and begins as a journal does.
  [[nodiscard]] static bool is_one(const std::filesystem::path& file);

 private:
  void write(const nlohmann::ordered_json& line);
  [[noreturn]] void fail(const char* doing, int number) const;

  const std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace pleat::bench
