// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
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

/// The words of a list, one more than there are separators.
[[nodiscard]] std::vector<std::string> split(std::string_view list,
                                             std::string_view separator = ",");

/// The names in a list that is written "a, b, c".
[[nodiscard]] inline std::vector<std::string> names_in(std::string_view list) {
  return list.empty() ? std::vector<std::string>() : split(list, ", ");
}

/// The number that the whole text is; none if it is another text, or more than T holds.
template <class T> [[nodiscard]] std::optional<T> number_in(std::string_view text) {
  T value{};
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, value);
  return failure == std::errc{} && end == last ? std::optional(value) : std::nullopt;
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

/// The elements of all lists, one list behind the other.
template <class T>
[[nodiscard]] std::vector<T> joined(std::initializer_list<std::span<const T>> lists) {
  std::vector<T> all;
  for (const auto list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// A count as people write it: `1048576`, `2^20`, `1e6`, `1.5e6`, `1Mi` (Ki, Mi, Gi: powers of
/// 1024), `1M` (k, M, G: powers of 1000).
///
/// Throws: pleat::usage_error naming `option` for anything else (fractions and overflow included)
/// and for less than `least`.
[[nodiscard]] std::size_t parse_count(std::string_view text, std::string_view option,
                                      std::size_t least = 0);

/// A size and a place below it, 0 unless it is written: `24+5`. Throws: as parse_count.
[[nodiscard]] std::pair<std::size_t, std::size_t> parse_place(const std::string& text,
                                                              std::string_view option);

/// Counts and ranges of counts, separated by commas: `1,2,4..max`, `2^10..2^25`, `1..8+1`.
///
/// `a..b` doubles from a and always ends with b itself; `a..b*k` multiplies by k instead, `a..b+k`
/// adds k. The word `max` stands for `max` where there is one. Duplicates are dropped, the order
/// stays as written.
///
/// A range up to `max` also bounds what was written before it: on a machine of two processors
/// `1,2,4..max` is 1,2, on a machine of one it is 1.
///
/// Throws: pleat::usage_error naming `option` for malformed text, an empty list, a value of zero, a
/// range that does not ascend, or more than 4,096 values.
[[nodiscard]] std::vector<std::size_t> parse_counts(std::string_view text, std::string_view option,
                                                    std::optional<std::size_t> max = {});

enum class least_share { zero, above_zero };

/// A share of a whole as people write it: `2%`, or without the sign a fraction, `0.02`. Both are
/// 0.02 in every option of the tool.
///
/// Throws: pleat::usage_error naming `option` for anything else, for a whole or more, for less than
/// zero, and for zero where `least` is above it.
[[nodiscard]] double parse_share(std::string_view text, std::string_view option,
                                 least_share least = least_share::zero);

}  // namespace pleat::bench
