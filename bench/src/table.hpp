// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pleat::bench {

/// Columns of text for a terminal: the first column starts at the left, the others end at the
/// right. Widths count characters, not bytes, so `µs` and `×` line up.
class table {
 public:
  explicit table(std::vector<std::string> header) { add(std::move(header)); }

  /// Adds a row. Requires: as many cells as the header has.
  void add(std::vector<std::string> cells);

  /// The rows below the header, joined by line ends, each line indented by two spaces.
  /// `emphasis` and `plain` go around the header (terminal escapes, or both empty).
  [[nodiscard]] std::string text(const std::string& emphasis = {},
                                 const std::string& plain = {}) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace pleat::bench
