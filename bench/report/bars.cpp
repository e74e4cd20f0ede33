// SPDX-License-Identifier: Apache-2.0
#include "bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace pleat::bench {
namespace {

constexpr std::size_t parts = 8;  // of a character
constexpr std::array<std::string_view, parts> begun{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string bars_text(const std::vector<bar>& bars, std::size_t columns) {
  double longest = 0;
  std::size_t label_width = 0;
  for (const auto& one : bars) {
    longest = std::max({longest, one.length, one.mark.value_or(0)});
    label_width = std::max(label_width, characters(one.label));
  }
  const auto eighths = [&](double length) {
    if (longest <= 0 || length <= 0) return std::size_t{0};
    const auto scale = static_cast<double>(columns * parts) / longest;
    return static_cast<std::size_t>(std::llround(length * scale));
  };
  std::string text;
  for (const auto& one : bars) {
    text += "  " + std::string(label_width - characters(one.label), ' ') + one.label + "  ";
    const std::size_t filled = eighths(one.length);
    for (std::size_t i = 0; i < filled / parts; ++i) text += "█";
    text += begun[filled % parts];
    std::size_t width = (filled + parts - 1) / parts;
    const std::size_t marked = one.mark ? eighths(*one.mark) / parts : 0;
    for (; width < marked; ++width) text += "·";
    text += " " + one.value + "\n";
  }
  return text;
}

}  // namespace pleat::bench
