// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

/// "a, b, c", as people read it; `name` gives the name of a thing.
template <class Things, class Name = std::identity>
[[nodiscard]] std::string names_of(const Things& things, const Name& name = {}) {
  std::string names;
  for (const auto& one : things)
    names += (names.empty() ? "" : ", ") + std::string(std::invoke(name, one));
  return names;
}

/// The names in a list that is written "a, b, c".
[[nodiscard]] inline std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    names.emplace_back(list.substr(0, list.find(", ")));
    list.remove_prefix(std::min(list.size(), names.back().size() + 2));
  }
  return names;
}

/// " (did you mean 'x'?)" where one of the names differs from the word in two letters at most, and
/// in fewer than half of them; else nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& names);

/// Index of the option's value among the names. Throws: usage_error naming the option and the
/// names.
template <std::size_t N>
[[nodiscard]] std::size_t place_of(const std::string& name, const char* option,
                                   const std::array<std::string_view, N>& names) {
  const auto* const found = std::ranges::find(names, name);
  if (found == names.end())
    throw usage_error(std::string(option) + ": '" + name +
                      "' is unknown; known: " + names_of(names));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace pleat::bench
