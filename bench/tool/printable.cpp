// SPDX-License-Identifier: Apache-2.0
#include "printable.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace pleat::bench {
namespace {

constexpr std::uint32_t first_byte = 0x10FF00;  // of utf8_of_bytes

struct code_point {
  std::uint32_t value;
  std::size_t bytes;  // 0: these bytes are no UTF-8
};

code_point first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {lead, 0};
  std::uint32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {lead, 0};
    value = value << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least.at(bytes) || value > 0x10FFFF || surrogate) return {lead, 0};
  return {value, bytes};
}

// Controls of ASCII and Latin-1, line and paragraph separators, and what reverses text.
bool acts_on_terminal(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || value == 0x61C ||
         (value >= 0x200E && value <= 0x200F) || (value >= 0x2028 && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069) || value == 0xFEFF;
}

std::string escape_of(std::uint32_t value) {
  if (value == '\n') return "\\n";
  if (value == '\t') return "\\t";
  if (value == '\r') return "\\r";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), value < 0x100 ? "\\x%02x" : "\\u%04x", value);
  return text.data();
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [value, bytes] = first_of(text);
    if (bytes == 0 || acts_on_terminal(value))
      result += escape_of(value);
    else
      result += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return result;
}

std::string utf8_of_bytes(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [value, bytes] = first_of(text);
    const bool kept = bytes != 0 && value < first_byte;
    if (kept) {
      result += text.substr(0, bytes);
    } else {
      const auto byte = static_cast<unsigned char>(text.front());
      result += {'\xF4', '\x8F', static_cast<char>(0xBCU | byte >> 6U),
                 static_cast<char>(0x80U | (byte & 0x3FU))};
    }
    text.remove_prefix(kept ? bytes : 1);
  }
  return result;
}

std::string bytes_of_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [value, bytes] = first_of(text);
    if (bytes == 4 && value >= first_byte)
      result += static_cast<char>(value & 0xFFU);
    else
      result += text.substr(0, std::max<std::size_t>(bytes, 1));
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

std::string python_literal(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '\'') escaped += '\\';
    escaped += c;
  }
  return "'" + printable(escaped) + "'";
}

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
  if (count >= 1024 && std::has_single_bit(count))
    return "2^" + std::to_string(std::countr_zero(count));
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
