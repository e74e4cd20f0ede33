// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

#include "strict_machine.hpp"

// Sizes and numbers of VPs that the tests of the everyday algorithms share.

inline constexpr std::array<std::size_t, 8> sizes{0, 1, 2, 3, 17, 64, 1009, 10007};
inline constexpr std::array<std::size_t, 5> vp_counts{1, 2, 3, 16, 64};

inline pleat::range_options with(std::size_t vps) { return {.vps = vps}; }

/// Calls property(n, vps) for all of them: also for more VPs than elements.
template <class Property> void for_all(const Property& property) {
  for (const std::size_t n : sizes) {
    for (const std::size_t vps : vp_counts) {
      SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(vps) + " VPs");
      property(n, vps);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Number of elements that processors share, whatever they cost, as far as there are several.
inline constexpr std::size_t large = std::size_t{1} << 20;

struct refusal {};

/// A number that is no number: it can be made, moved and combined, and no more.
class moved_only {
 public:
  explicit moved_only(long value) : value_(value) {}
  moved_only(moved_only&& other) noexcept = default;
  moved_only& operator=(moved_only&& other) noexcept = default;
  moved_only(const moved_only&) = delete;
  moved_only& operator=(const moved_only&) = delete;
  ~moved_only() = default;

  [[nodiscard]] long value() const { return value_; }
  friend moved_only operator+(moved_only&& a, moved_only&& b) {
    return moved_only(a.value_ + b.value_);
  }

 private:
  long value_;
};
