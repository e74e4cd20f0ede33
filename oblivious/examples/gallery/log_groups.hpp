// SPDX-License-Identifier: Apache-2.0
//
// A web server's log, grouped by page: how often each was asked for, how often in vain, and how
// long the slowest twentieth of the answers took. The text is read in pieces of equal size, each
// with the lines that begin in it: counted, numbered by a scan, and parsed to where they belong.
//
//     2026-03-01T12:00:00 203.0.113.7 GET /shop/77 200 5120 1834
//     time                client      page         status bytes microseconds
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/oblivious/transform.hpp>

namespace gallery {

/// Request, which is kept of a line.
struct request {
  std::uint64_t page;  ///< 64 bits that are made of its name, and stand for it
  std::uint64_t name;  ///< where it stands in the text
  std::uint32_t status, microseconds;
};

/// Many of them. Not made zero beforehand: whoever parses a line is the first to touch its place.
class request_list {
 public:
  explicit request_list(std::size_t n)
      : memory_(std::make_unique_for_overwrite<request[]>(n)), all_(memory_.get(), n) {}
  [[nodiscard]] std::span<request> all() const { return all_; }

 private:
  std::unique_ptr<request[]> memory_;
  std::span<request> all_;
};

struct page_report {
  std::string_view name;
  std::size_t requests, failures;
  std::uint64_t slow;  ///< microseconds of which a twentieth takes more

  friend bool operator==(const page_report&, const page_report&) = default;
};

/// The word that begins at `first`.
inline std::string_view word_at(const char* first, const char* last) {
  const char* const end = std::find_if(first, last, [](char c) { return c == ' ' || c == '\n'; });
  return {first, static_cast<std::size_t>(end - first)};
}

/// A line that has fewer words is a request for the page "" with the status 0.
inline request parse_line(std::string_view text, std::size_t begin) {
  const char* const last = text.data() + std::min(text.find('\n', begin), text.size());
  const char* word = text.data() + begin;
  const auto skip = [&](int words) {
    for (; words > 0 && word != last; --words) {
      word += word_at(word, last).size();
      if (word != last) ++word;
    }
  };
  skip(3);
  const std::string_view name = word_at(word, last);
  request parsed{0, static_cast<std::uint64_t>(word - text.data()), 0, 0};
  for (const char c : name)
    parsed.page = (parsed.page ^ static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15;
  parsed.page ^= parsed.page >> 32;
  skip(1);
  std::from_chars(word, last, parsed.status);
  skip(2);
  std::from_chars(word, last, parsed.microseconds);
  return parsed;
}

inline constexpr std::size_t piece_bytes = std::size_t{1} << 16;

/// Calls visit(begin) for each line that begins in a piece of the text.
template <class Visit>
void for_lines_of_piece(std::string_view text, std::size_t piece, const Visit& visit) {
  const std::size_t first = piece * piece_bytes, end = std::min(text.size(), first + piece_bytes);
  std::size_t begin = first == 0 ? 0 : text.find('\n', first - 1) + 1;
  if (begin == 0 && first != 0) return;  // the last line began before
  while (begin < end) {
    visit(begin);
    const std::size_t newline = text.find('\n', begin);
    if (newline == text.npos) return;
    begin = newline + 1;
  }
}

/// Reads all requests of a log, in its order.
inline request_list parse(pleat::machine& on, std::string_view text) {
  const std::size_t pieces = (text.size() + piece_bytes - 1) / piece_bytes;
  std::vector<std::size_t> lines(pieces), before(pieces);
  pleat::for_each_index(on, pieces, [&](std::size_t piece) {
    std::size_t count = 0;
    for_lines_of_piece(text, piece, [&](std::size_t) { ++count; });
    lines[piece] = count;
  });
  pleat::exclusive_scan(on, lines, before, std::size_t{0});
  request_list requests(pieces == 0 ? 0 : before.back() + lines.back());
  pleat::for_each_index(on, pieces, [&](std::size_t piece) {
    std::size_t next = before[piece];
    for_lines_of_piece(text, piece,
                       [&](std::size_t i) { requests.all()[next++] = parse_line(text, i); });
  });
  return requests;
}

/// Makes the report of the requests for one page, which are left in another order.
inline page_report report_of(std::string_view text, request* first, std::size_t n) {
  const auto failed = [](const request& one) { return one.status >= 400 || one.status == 0; };
  request* const slow = first + n * 19 / 20;
  std::nth_element(first, slow, first + n, [](const request& a, const request& b) {
    return a.microseconds < b.microseconds;
  });
  return {word_at(text.data() + first->name, text.data() + text.size()), n,
          static_cast<std::size_t>(std::count_if(first, first + n, failed)), slow->microseconds};
}

/// A report for each page that was asked for.
inline std::vector<page_report> report_pages(pleat::machine& on, std::string_view text) {
  const request_list requests = parse(on, text);
  const std::span<request> all = requests.all();
  const std::vector<std::size_t> begins = pleat::group_by(on, all, {}, &request::page);
  std::vector<page_report> reports(begins.size() - 1);
  pleat::for_each_index(on, reports.size(),
                        [&](std::size_t g) {
                          reports[g] = report_of(text, &all[begins[g]], begins[g + 1] - begins[g]);
                        },
                        {.chunk = 8});
  return reports;
}

}  // namespace gallery
