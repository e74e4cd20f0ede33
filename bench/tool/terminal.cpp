// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sys/ioctl.h>
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

std::optional<std::size_t> columns_of(int descriptor) {
  if (::isatty(descriptor) == 0) return std::nullopt;
  constexpr std::size_t usual = 80;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const long chosen = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  return chosen > 0 ? static_cast<std::size_t>(chosen) : usual;
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

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

std::optional<std::size_t> stdout_columns() { return columns_of(STDOUT_FILENO); }
std::optional<std::size_t> stderr_columns() { return columns_of(STDERR_FILENO); }

std::string cut_to(std::string_view text, std::size_t columns) {
  const auto characters = static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
  if (characters <= columns) return std::string(text);
  if (columns == 0) return "";
  std::size_t end = 0;
  for (std::size_t kept = 0; end < text.size(); ++end) {
    if (starts_character(text[end]) && kept++ == columns - 1) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

void warn(std::string_view text) {
  const auto& style = stderr_emphasis();
  print(style.warning + "pleat: warning: " + style.plain + printable(text) + "\n");
}

void note(std::string_view text) { print("pleat: " + printable(text) + "\n"); }

progress_bar::progress_bar(std::string title, appears when) : title_(std::move(title)) {
  if (when == appears::late) return;
  if (speaks_escapes(STDERR_FILENO)) {
    update(0, 1);
  } else {
    note(title_);
  }
}

void progress_bar::update(std::size_t done, std::size_t total, std::string_view detail) {
  if (!speaks_escapes(STDERR_FILENO)) return;
  done_ = done;
  total_ = total;
  draw(detail);
}

std::unique_ptr<pleat::detail::watch> progress_bar::during_calls() {
  if (!speaks_escapes(STDERR_FILENO)) return nullptr;
  return std::make_unique<pleat::detail::watch>([this] {
    using namespace std::chrono;
    const auto passed = duration_cast<seconds>(steady_clock::now() - begin_);
    if (passed < seconds(2)) return;
    const auto of_labels = pleat::detail::current_watch->supersteps;
    const std::uint64_t supersteps = std::reduce(of_labels.begin(), of_labels.end());
    draw(std::to_string(passed.count()) + " s" +
         (supersteps == 0 ? "" : ", " + std::to_string(supersteps) + " supersteps"));
  });
}

void progress_bar::draw(std::string_view detail) {
  constexpr std::size_t cells = 24;
  const std::size_t full = total_ == 0 ? cells : std::min(cells, done_ * cells / total_);
  std::string bar(full, '#');
  bar.resize(cells, '.');
  const std::string said = printable(title_ + (detail.empty() ? "" : ": ") + std::string(detail));
  // The last column stays free: a terminal may go to the next line after it.
  const std::size_t columns = std::max<std::size_t>(stderr_columns().value_or(0), 1) - 1;
  print("\r" + cut_to("[" + bar + "] " + said, columns) + "\x1b[K");
  drawn_ = true;
}

progress_bar::~progress_bar() {
  if (drawn_) print("\r\x1b[K");
}

}  // namespace pleat::bench
