// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace pleat::detail {

/// Notation of values: each with its name.
template <class Value, std::size_t N>
using names = std::array<std::pair<std::string_view, Value>, N>;

template <class Value, std::size_t N>
[[nodiscard]] std::optional<Value> named(const names<Value, N>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &std::pair<std::string_view, Value>::first);
  return found != all.end() ? std::optional(found->second) : std::nullopt;
}
/// Returns an empty name if the value has none.
template <class Value, std::size_t N>
[[nodiscard]] std::string_view name_of(const names<Value, N>& all, Value value) {
  const auto found = std::ranges::find(all, value, &std::pair<std::string_view, Value>::second);
  return found != all.end() ? found->first : std::string_view();
}

/// Reads a text that is a number and nothing else.
template <class Number> [[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace pleat::detail
