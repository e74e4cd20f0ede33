// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pleat::bench {

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
