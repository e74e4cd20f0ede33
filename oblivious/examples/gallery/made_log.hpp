// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace gallery {

/// A log of so many lines, as log_groups.hpp reads it: a few pages are asked for often, most
/// seldom.
inline std::string made_log(std::size_t lines, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  const auto unit = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto word = [&text](std::uint64_t number, char end) {
    text += std::to_string(number);
    text += end;
  };
  for (std::size_t i = 0; i < lines; ++i) {
    text += "2026-03-01T12:00:00 203.0.113.";
    word(random() % 256, ' ');
    text += random() % 4 == 0 ? "POST /shop/" : "GET /shop/";
    word(static_cast<std::uint64_t>(std::exp(9 * unit())), ' ');  // as often as it is small
    text += random() % 50 == 0 ? "500 " : "200 ";
    word(random() % 100'000, ' ');
    word(100 + static_cast<std::uint64_t>(-3000 * std::log(1 - unit())) + random() % 512, '\n');
  }
  return text;
}

}  // namespace gallery
