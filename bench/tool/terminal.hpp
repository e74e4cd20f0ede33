// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/detail/watch.hpp>

namespace pleat::bench {

/// Escape sequences for emphasis, empty where they would be noise: not a terminal, NO_COLOR set,
/// or TERM=dumb.
struct emphasis {
  std::string bold, faint, warning, plain;
};

[[nodiscard]] const emphasis& stdout_emphasis();
[[nodiscard]] const emphasis& stderr_emphasis();

/// The columns of the terminal that standard output or standard error is; none if it is none.
/// COLUMNS in the environment is heeded where the terminal does not know.
[[nodiscard]] std::optional<std::size_t> stdout_columns();
[[nodiscard]] std::optional<std::size_t> stderr_columns();

/// Number of characters, each a column.
[[nodiscard]] std::size_t characters(std::string_view text);

/// The text as far as that many columns show it, one for each character; with an ellipsis for its
/// last character if it was longer.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

/// One line on stderr: `pleat: warning: …`. The text says what to do about it.
void warn(std::string_view text);

/// One line on stderr that says what is being done, not data.
void note(std::string_view text);

/// Bar that shows how far a long job is: it redraws itself on a terminal; elsewhere one line when
/// it starts. Never longer than the terminal is wide, or it would scroll. Removed from the terminal
/// when it goes out of scope.
class progress_bar {
 public:
  /// Moment of the first drawing.
  enum class appears {
    at_once,  ///< and as a line where there is no terminal
    late      ///< when the job has taken two seconds; nothing without a terminal
  };
  explicit progress_bar(std::string title, appears when = appears::at_once);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar();

  void update(std::size_t done, std::size_t total, std::string_view detail = {});
  /// While it lives, calls of the library on this thread redraw the bar with the seconds that have
  /// passed, and the supersteps of the run. Not for runs that are measured: each superstep costs a
  /// clock reading.
  [[nodiscard]] std::unique_ptr<pleat::detail::watch> during_calls();

 private:
  void draw(std::string_view detail);

  std::string title_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t done_ = 0, total_ = 1;
  bool drawn_ = false;
};

/// Columns of text for a terminal: the first column starts at the left, the others end at the
/// right, or start at the left too. Widths count characters, not bytes, so `µs` and `×` line up.
class table {
 public:
  enum class alignment { right, left };
  explicit table(std::vector<std::string> header, alignment of_others = alignment::right)
      : of_others_(of_others) {
    add(std::move(header));
  }

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
  alignment of_others_;
};

}  // namespace pleat::bench
