// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "over_ranks.hpp"

namespace model {

/// Checks on a machine of as many workers as the parameter says, strict and not, for many v.
class all_sizes : public testing::TestWithParam<unsigned> {
 protected:
  template <class Check, class Sizes = std::initializer_list<std::size_t>>
  void for_all_sizes(const Sizes& sizes, Check check) {
    for (const bool strict : {false, true}) {
      pleat::machine machine(over_ranks({.processors = GetParam(), .strict = strict}));
      for (const std::size_t v : sizes) {
        SCOPED_TRACE("M(" + std::to_string(v) + (strict ? ") strict" : ")"));
        wrong = 0;
        check(machine, v);
        ASSERT_EQ(wrong, 0);
      }
    }
  }
  /// Records a condition; from any virtual processor.
  void expect(bool condition) { wrong += !condition; }

  std::atomic<int> wrong{0};
};

}  // namespace model
