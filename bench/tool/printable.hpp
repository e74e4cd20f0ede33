// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pleat::bench {

/// Text that came from outside (a file's name or contents, an argument, the environment) as a
/// terminal may be given it, on one line.
///
/// Control characters, bytes that are not UTF-8, and characters that change the direction of
/// writing are replaced by escapes: `\x1b`, `\n`, `\u202e`. All else stays as it is, so text
/// without such characters is returned unchanged.
[[nodiscard]] std::string printable(std::string_view text);

/// The text as a Python string literal in single quotes: quotes and backslashes are escaped too.
[[nodiscard]] std::string python_literal(std::string_view text);

/// Converts any bytes to UTF-8, for JSON, so that `bytes_of_utf8` gives them back: a byte b that is
/// not UTF-8 becomes the private code point U+10FF00 + b. Such code points in the text are
/// converted byte by byte too.
[[nodiscard]] std::string utf8_of_bytes(std::string_view text);
[[nodiscard]] std::string bytes_of_utf8(std::string_view text);

/// `52.1 ns`, `13.4 ms`, `2.37 s`: three significant digits and the unit that fits.
[[nodiscard]] std::string readable_time(double seconds);

/// `2^25` for powers of two from 1,024 on, otherwise the digits in groups: `1,000,000`.
[[nodiscard]] std::string readable_count(std::size_t count);

/// `1 round`, `2,000 rounds`.
[[nodiscard]] std::string counted(std::size_t count, std::string_view one);

/// `8 MiB`, `96 B`, `1.5 GiB`.
[[nodiscard]] std::string readable_bytes(double bytes);

/// Three significant digits, never in scientific notation below 10^6: `1.85`, `17.3`, `250`.
[[nodiscard]] std::string readable_number(double value);

}  // namespace pleat::bench
