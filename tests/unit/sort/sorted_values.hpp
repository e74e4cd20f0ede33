// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "strict_machine.hpp"

// Values that the tests of sorts share: sizes and numbers of VPs, records that tell equal keys
// apart, strings of several kinds.

inline pleat::sort_options with(std::size_t vps) { return {.vps = vps}; }

inline constexpr std::array<std::size_t, 8> sizes{0, 1, 2, 3, 17, 64, 1009, 10007};
inline constexpr std::array<std::size_t, 6> vp_counts{1, 2, 3, 6, 16, 64};

/// Calls property(n, vps) for all of them, and for n VPs where n is not too large.
template <class Property> void for_all(const Property& property) {
  for (const std::size_t n : sizes) {
    if (pleat::detail::sanitized && n > 4096) continue;
    for (const std::size_t vps : vp_counts) {
      SCOPED_TRACE(std::to_string(n) + " values, " + std::to_string(vps) + " VPs");
      property(n, vps);
      if (testing::Test::HasFatalFailure()) return;
    }
    if (n > 0 && n <= 64) property(n, n);
  }
}

struct record {
  std::int32_t key;
  std::uint32_t id;

  bool operator==(const record&) const = default;
};

inline std::vector<record> make_records(std::size_t n, std::int32_t distinct) {
  std::mt19937_64 random(n + static_cast<std::size_t>(distinct));
  std::vector<record> records(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto value = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(distinct));
    records[i] = {value - distinct / 2, i};
  }
  return records;
}

/// Strings on both sides of the small buffer, with equal ones, common prefixes and odd bytes.
inline std::vector<std::string> make_strings(std::size_t n, int kind) {
  std::mt19937_64 random(n);
  std::vector<std::string> strings(n);
  for (auto& s : strings) {
    switch (kind) {
      case 0:  // short, many equal, also empty ones
        s = std::string(random() % 3, static_cast<char>('a' + random() % 2));
        break;
      case 1:  // a common prefix longer than the word
        s = "https://example.org/" + std::to_string(random() % 5000);
        break;
      case 2:  // bytes beyond 127, zeros
        for (std::size_t i = random() % 12; i != 0; --i) s += static_cast<char>(random());
        if (random() % 4 == 0) s += '\0';
        break;
      default:  // long, differing at the end only
        s = std::string(40, 'x') + std::to_string(random() % 100);
        if (random() % 50 == 0) s = s.substr(0, random() % 40);
    }
  }
  return strings;
}
