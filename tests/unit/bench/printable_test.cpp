// SPDX-License-Identifier: Apache-2.0
#include "tool/printable.hpp"

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace printable_test {

using pleat::bench::bytes_of_utf8, pleat::bench::printable, pleat::bench::python_literal;
using pleat::bench::utf8_of_bytes;

std::string utf8(std::uint32_t value) {
  std::string text;
  const auto byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
  const auto tail = [&](unsigned shift) { byte(0x80U | ((value >> shift) & 0x3FU)); };
  if (value < 0x80) {
    byte(value);
  } else if (value < 0x800) {
    byte(0xC0U | value >> 6U);
    tail(0);
  } else if (value < 0x10000) {
    byte(0xE0U | value >> 12U);
    tail(6);
    tail(0);
  } else {
    byte(0xF0U | value >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
  return text;
}

// By the general categories of Unicode: controls, and formats that move text about.
bool is_control(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value <= 0x9F) || (value >= 0x2028 && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069) || value == 0x200E || value == 0x200F ||
         value == 0x61C || value == 0xFEFF;
}

TEST(printable_text, keeps_every_character_but_controls) {
  for (std::uint32_t value = 0; value <= 0x10FFFF; ++value) {
    const auto text = utf8(value);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    const auto shown = printable(text);
    if (surrogate || is_control(value)) {
      ASSERT_EQ(shown.front(), '\\') << value;
    } else {
      ASSERT_EQ(shown, text) << value;
    }
  }
}

TEST(printable_text, of_any_bytes_is_utf8_without_controls) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 12, '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random());
    const auto shown = printable(bytes);
    for (const char c : shown) {
      ASSERT_GE(static_cast<unsigned char>(c), 0x20) << shown;
      ASSERT_NE(c, '\x7f');
    }
    ASSERT_EQ(printable(shown), shown);  // hence only whole characters, and no controls
  }
}

TEST(printable_text, escapes_as_c_does) {
  EXPECT_EQ(printable("a\x1b]0;t\x07\nb"), "a\\x1b]0;t\\x07\\nb");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");
  EXPECT_EQ(printable("µs ± 1 \xff"), "µs ± 1 \\xff");
}

TEST(utf8_text, gives_back_any_bytes_and_keeps_utf8) {
  for (std::uint32_t value = 1; value < 0x10FF00; value += 97) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    ASSERT_EQ(utf8_of_bytes(utf8(value)), utf8(value));
  }
  std::mt19937 random(2);
  const std::string likely = "a\xf4\x8f\xbc\xbf\x80\xc3\xe9";
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 12, '\0');
    for (auto& byte : bytes)
      byte = round % 2 == 0 ? static_cast<char>(random()) : likely[random() % likely.size()];
    const auto text = utf8_of_bytes(bytes);
    ASSERT_EQ(utf8_of_bytes(text).size() == text.size(), text == bytes);  // hence UTF-8
    ASSERT_EQ(bytes_of_utf8(text), bytes);
  }
}

TEST(python_literals, escape_quotes_and_backslashes) {
  EXPECT_EQ(python_literal("it's a\\b.npy"), "'it\\'s a\\\\b.npy'");
}

}  // namespace printable_test
