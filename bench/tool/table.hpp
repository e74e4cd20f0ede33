// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pleat::bench {

/// Columns of text for a terminal: the first column starts at the left, the others end at the
/// right. Widths count characters, not bytes, so `µs` and `×` line up.
class table {
 public:
  explicit table(std::vector<std::string> header) { add(std::move(header)); }

  /// Adds a row; what is not printable in a cell is escaped. Requires: as many cells as the header
  /// has.
  void add(std::vector<std::string> cells);

  /// The rows below the header, joined by line ends, each line indented by two spaces.
  /// `emphasis` and `plain` go around the header (terminal escapes, or both empty).
  ///
  /// No line is wider than `columns`, if given and some column fits it: what all rows have the same
  /// is said once above them; if that does not suffice the columns stand in several tables, one
  /// below the other, each with the first column.
  [[nodiscard]] std::string text(const std::string& emphasis = {}, const std::string& plain = {},
                                 std::optional<std::size_t> columns = {}) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::string text_of(const std::vector<std::size_t>& shown,
                                    const std::string& emphasis, const std::string& plain) const;

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace pleat::bench
