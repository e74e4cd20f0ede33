// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "printable.hpp"

namespace pleat::bench {
namespace {

bool speaks_escapes(int descriptor) {
  if (::isatty(descriptor) == 0) return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) != "dumb";
}

// no-color.org: any value but the empty one.
bool colours_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

emphasis emphasis_of(int descriptor) {
  if (!speaks_escapes(descriptor) || !colours_wanted()) return {};
  return {"\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[0m"};
}

void print(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

const emphasis& stdout_emphasis() {
  static const emphasis found = emphasis_of(STDOUT_FILENO);
  return found;
}

const emphasis& stderr_emphasis() {
  static const emphasis found = emphasis_of(STDERR_FILENO);
  return found;
}

void warn(std::string_view text) {
  const auto& style = stderr_emphasis();
  print(style.warning + "pleat: warning: " + style.plain + printable(text) + "\n");
}

void note(std::string_view text) { print("pleat: " + printable(text) + "\n"); }

progress_bar::progress_bar(std::string title) : title_(std::move(title)) {
  if (speaks_escapes(STDERR_FILENO)) {
    update(0, 1);
  } else {
    note(title_);
  }
}

void progress_bar::update(std::size_t done, std::size_t total, std::string_view detail) {
  if (!speaks_escapes(STDERR_FILENO)) return;
  constexpr std::size_t cells = 24;
  const std::size_t full = total == 0 ? cells : std::min(cells, done * cells / total);
  std::string bar(full, '#');
  bar.resize(cells, '.');
  print("\r[" + bar + "] " + title_ + (detail.empty() ? "" : ": ") + std::string(detail) +
        "\x1b[K");
  drawn_ = true;
}

progress_bar::~progress_bar() {
  if (drawn_) print("\r\x1b[K");
}

}  // namespace pleat::bench
