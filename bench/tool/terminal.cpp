// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <algorithm>
#include <cassert>
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

// Every byte that does not continue a UTF-8 sequence.
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

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (characters(text) <= columns) return std::string(text);
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
  if (speaks_escapes(STDERR_FILENO))
    update(0, 1);
  else
    note(title_);
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

void table::add(std::vector<std::string> cells) {
  assert(rows_.empty() || cells.size() == rows_.front().size());
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> table::widths() const {
  std::vector<std::size_t> widest(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widest[i] = std::max(widest[i], characters(row[i]));
  }
  return widest;
}

std::string table::text_of(const std::vector<std::size_t>& shown, const std::string& emphasis,
                           const std::string& plain) const {
  const auto widest = widths();
  std::string result;
  for (const auto& row : rows_) {
    std::string line = "  ";
    for (const std::size_t i : shown) {
      const std::string space(widest[i] - characters(row[i]), ' ');
      const bool left = i == shown.front() || of_others_ == alignment::left;
      line += (i != shown.front() ? "  " : "") + (left ? row[i] + space : space + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += &row == &rows_.front() ? emphasis + line + plain : line;
    result += '\n';
  }
  return result;
}

std::string table::text(const std::string& emphasis, const std::string& plain,
                        std::optional<std::size_t> columns) const {
  constexpr std::size_t gap = 2;
  const auto widest = widths();
  std::vector<std::size_t> shown(widest.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  const auto fits = [&](const std::vector<std::size_t>& some) {
    std::size_t sum = 0;
    for (const std::size_t i : some) sum += gap + widest[i];
    return !columns || sum <= *columns;
  };
  if (fits(shown)) return text_of(shown, emphasis, plain);

  std::string result;
  const auto same = [&](std::size_t i) {
    return rows_.size() > 2 && std::ranges::all_of(rows_.begin() + 1, rows_.end(), [&](auto& row) {
             return row[i] == rows_[1][i];
           });
  };
  for (std::size_t i = 0; i < widest.size() && shown.size() > 1 && !fits(shown); ++i) {
    if (!same(i)) continue;
    std::erase(shown, i);
    const auto said = rows_.front()[i] + (rows_[1][i].empty() ? "" : " ") + rows_[1][i];
    if (!rows_[1][i].empty())
      result += "  " + cut_to(said, *columns - std::min(*columns, gap)) + "\n";
  }
  for (std::size_t next = 1; next <= shown.size();) {
    std::vector<std::size_t> part{shown.front()};
    if (next < shown.size()) part.push_back(shown[next++]);  // at least one more, however wide
    while (next < shown.size()) {
      part.push_back(shown[next]);
      if (!fits(part)) {
        part.pop_back();
        break;
      }
      ++next;
    }
    result += text_of(part, emphasis, plain);
    if (next >= shown.size()) break;
    result += '\n';
  }
  return result;
}

}  // namespace pleat::bench
