// SPDX-License-Identifier: Apache-2.0
#include "readable.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>

namespace pleat::bench {

std::string readable_number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const double size = std::fabs(value);
  // Decided after rounding: 9.996 has as many decimals as 10.0.
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), size < 1e15 ? "%.*f" : "%.*e", decimals, value);
  return text.data();
}

std::string readable_time(double seconds) {
  const double size = std::fabs(seconds);
  if (size < 999.5e-9) return readable_number(seconds * 1e9) + " ns";
  if (size < 999.5e-6) return readable_number(seconds * 1e6) + " µs";
  if (size < 999.5e-3) return readable_number(seconds * 1e3) + " ms";
  return readable_number(seconds) + " s";
}

std::string readable_count(std::size_t count) {
  if (count >= 1024 && std::has_single_bit(count)) {
    return "2^" + std::to_string(std::countr_zero(count));
  }
  auto digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

std::string counted(std::size_t count, std::string_view one) {
  return readable_count(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

std::string readable_bytes(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= 1024) {
    bytes /= 1024;
    ++unit;
  }
  const bool whole = bytes == std::floor(bytes);
  return (whole ? std::to_string(static_cast<long long>(bytes)) : readable_number(bytes)) + " " +
         units[unit];
}

}  // namespace pleat::bench
