// SPDX-License-Identifier: Apache-2.0
#include "host/synthetic_size.hpp"

#include <cctype>
#include <cstdlib>
#include <string_view>

namespace pleat::detail {
namespace {

// Limit of comparisons. hwloc compares every object that it adds with the siblings of all its
// ancestors, a word for each 64 PUs: 8192 PUs side by side take 9 s, 16384 a minute, 64 nodes of 64
// cores of 2 PUs 0.3 s.
constexpr double most_comparisons = 2e9;
// Greatest index in a description: hwloc's bitmaps are as long as the largest index they hold.
constexpr unsigned long long largest_index = 65535;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// Parses as hwloc does: types up to the colon, numbers as in C.
bool soon_built(const std::string& description) {
  double width = 1, siblings = 0, comparisons = 0;
  const auto add_level = [&](double arity) {
    width *= arity;
    siblings += arity;
    comparisons += width * siblings;
  };
  const auto skip_to = [](const char* at, char last) {
    while (*at != '\0' && *at != last) ++at;
    return at;
  };
  for (const char* at = description.c_str(); *at != '\0';) {
    if (is_digit(*at)) {
      char* end = nullptr;
      add_level(static_cast<double>(std::strtoull(at, &end, 0)));
      at = end;
      continue;
    }
    if (*at == '[') add_level(1);  // memory beside each object of the level
    if (*at == '[') at = skip_to(at, ']');
    if (*at == '(') at = skip_to(at, ')');
    if (std::isalpha(static_cast<unsigned char>(*at)) != 0) at = skip_to(at, ':');
    if (*at != '\0') ++at;
  }
  constexpr std::string_view list = "indexes=";
  for (auto at = description.find(list); at != std::string::npos; at = description.find(list, at)) {
    at += list.size();
    for (const char* one = description.c_str() + at; is_digit(*one);) {
      char* end = nullptr;
      if (std::strtoull(one, &end, 10) > largest_index) return false;
      one = end + (*end == ',' ? 1 : 0);
    }
  }
  return comparisons * (width / 64 + 1) <= most_comparisons;
}

}  // namespace pleat::detail
