// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pleat::bench {

/// Escape sequences for emphasis, empty where they would be noise: not a terminal, NO_COLOR set,
/// or TERM=dumb.
struct emphasis {
  std::string bold, faint, warning, plain;
};

[[nodiscard]] const emphasis& stdout_emphasis();
[[nodiscard]] const emphasis& stderr_emphasis();

/// One line on stderr: `pleat: warning: …`. The text says what to do about it.
void warn(std::string_view text);

/// One line on stderr that says what is being done, not data.
void note(std::string_view text);

/// How far a long job is: a bar that redraws itself on a terminal; elsewhere one line when it
/// starts. Removed from the terminal when it goes out of scope.
class progress_bar {
 public:
  explicit progress_bar(std::string title);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar();

  void update(std::size_t done, std::size_t total, std::string_view detail = {});

 private:
  std::string title_;
  bool drawn_ = false;
};

}  // namespace pleat::bench
