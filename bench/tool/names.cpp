// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <numeric>
#include <utility>

namespace pleat::bench {
namespace {

// Letters to insert, remove or replace, or neighbours to exchange, so that one becomes the other.
// Source: Damerau, A technique for computer detection and correction of spelling errors, 1964.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? std::size_t{0} : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

}  // namespace

std::vector<std::string> split(std::string_view list, std::string_view separator) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= list.size();) {
    const auto end = std::min(list.find(separator, start), list.size());
    words.emplace_back(list.substr(start, end - start));
    start = end + separator.size();
    if (end == list.size()) break;
  }
  return words;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  std::size_t least = 3;
  const std::string* nearest = nullptr;
  for (const auto& name : names) {
    const std::size_t far = distance(word, name);
    if (far >= least || 2 * far >= word.size()) continue;
    least = far;
    nearest = &name;
  }
  return nearest == nullptr ? "" : " (did you mean '" + *nearest + "'?)";
}

}  // namespace pleat::bench
