// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat::bench {

// Files of /proc and /sys, below any root: tests lay out a file system of their own.

/// The first line without the white space around it; none if there is no such file, or it is empty.
[[nodiscard]] std::optional<std::string> line_of(const std::filesystem::path& file);

/// The first line as a whole number; none if it is none.
[[nodiscard]] std::optional<long long> number_of(const std::filesystem::path& file);

/// The choice that is in brackets: "madvise" of "always [madvise] never"; none if none is.
[[nodiscard]] std::optional<std::string> chosen_of(const std::filesystem::path& file);

/// The value behind the first line "name : value", as /proc/cpuinfo has them.
[[nodiscard]] std::optional<std::string> value_of(const std::filesystem::path& file,
                                                  std::string_view name);

/// The words of a line, separated by blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line);

}  // namespace pleat::bench
