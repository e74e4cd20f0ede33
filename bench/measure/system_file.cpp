// SPDX-License-Identifier: Apache-2.0
#include "system_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>

namespace pleat::bench {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) + 1 - first));
}

}  // namespace

std::optional<std::string> line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  line = trimmed(line);
  return line.empty() ? std::nullopt : std::optional(line);
}

std::optional<long long> number_of(const std::filesystem::path& file) {
  const auto line = line_of(file);
  if (!line) return std::nullopt;
  long long number = 0;
  const char* const end = line->data() + line->size();
  const auto [stopped, failure] = std::from_chars(line->data(), end, number);
  return failure == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

std::optional<std::string> chosen_of(const std::filesystem::path& file) {
  const auto line = line_of(file);
  if (!line) return std::nullopt;
  const auto open = line->find('['), close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  return line->substr(open + 1, close - open - 1);
}

std::optional<std::string> value_of(const std::filesystem::path& file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || trimmed(line.substr(0, colon)) != name) continue;
    const auto value = trimmed(line.substr(colon + 1));
    return value.empty() ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(blanks, at)) != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(blanks, at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace pleat::bench
