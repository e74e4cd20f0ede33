// SPDX-License-Identifier: Apache-2.0
#include "printed_number.hpp"

#include <cstdlib>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

printed_number::printed_number(const std::string& pattern) : pattern_(pattern) {
  constexpr std::size_t longest = 1000;
  if (pattern.size() > longest)
    throw usage_error(
        "--measure: the expression has more than 1,000 characters; write e.g. "
        "'Time: ([0-9.]+)'");
  try {
    expression_.assign(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error&) {
    throw usage_error("--measure: '" + pattern +
                      "' is no regular expression without back-references; write e.g. "
                      "'Time: ([0-9.]+)'");
  }
  if (expression_.mark_count() != 1)
    throw usage_error("--measure: '" + pattern +
                      "' has not one group; write elapsed, cpu, memory, or 'Time: ([0-9.]+)'");
}

double printed_number::last_in(const std::string& output) const {
  std::string text;
  const std::sregex_iterator none;
  for (auto at = std::sregex_iterator(output.begin(), output.end(), expression_); at != none; ++at)
    text = (*at)[1].str();
  if (text.empty())
    throw error("--measure: nothing that the command prints matches '" + pattern_ + "'");
  constexpr double least = 1e-50, most = 1e50;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (*end != 0 || !(number >= least && number <= most))
    throw error("--measure: '" + text +
                "' that the command prints is no number between 1e-50 and 1e50");
  return number;
}

}  // namespace pleat::bench
