// SPDX-License-Identifier: Apache-2.0
// Whatever goes wrong in a program, run throws its cause, everything is unwound, and the machine
// is as good as before. Never a hang: CTest ends a test after a minute.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "over_ranks.hpp"
#include "proof_of_life.hpp"
#include "worker_counts.hpp"

namespace model {

struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline testing::AssertionResult names(const std::string& what,
                                      const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (what.find(part) == std::string::npos)
      return testing::AssertionFailure() << '"' << part << "\" is missing in: " << what;
  }
  if (what.find('\n') != std::string::npos)
    return testing::AssertionFailure() << "more than one line: " << what;
  return testing::AssertionSuccess();
}

inline std::string text(std::size_t n) { return std::to_string(n); }

// Workers that share a processor and do not sleep: every step may take them a time slice.
inline bool busy(const pleat::machine& machine) {
  return machine.oversubscribed() && machine.waiting() != pleat::wait_policy::park;
}

class failures : public testing::TestWithParam<unsigned> {
 protected:
  // Calls check(machine, v) for every way to wait and several v ≥ least; after each the machine
  // must be able to run a good program, and no local of the failed one may be alive.
  template <class Check> void everywhere(std::size_t least, bool strict, Check check) {
    const std::size_t p = GetParam();
    for (const pleat::wait_policy policy : all_policies) {
      SCOPED_TRACE(std::string("waiting: ") + name_of(policy));
      pleat::machine machine(
          over_ranks({.processors = GetParam(), .wait = policy, .strict = strict}));
      std::vector<std::size_t> sizes{1, 2, 4, 7, p + 1, 4 * p, 37};
      if (busy(machine)) sizes = {std::max(least, p + 1)};
      for (const std::size_t v : sizes) {
        if (v < least) continue;
        SCOPED_TRACE("M(" + text(v) + ")");
        alive = 0;
        check(machine, v);
        EXPECT_EQ(alive, 0) << "locals that nobody destroyed";
        EXPECT_EQ(complaint_about(machine, v), "");
        if (HasFatalFailure()) return;
      }
    }
  }

  // Runs `program` and returns the Error it must throw.
  template <class Error, class Program>
  Error failure(pleat::machine& machine, std::size_t v, Program program) {
    try {
      machine.run(v, program);
    } catch (const Error& e) {
      return e;
    } catch (const std::exception& e) {
      throw std::logic_error(std::string("another error: ") + e.what());
    }
    throw std::logic_error("the run should have failed");
  }

  std::atomic<long> alive{0};
};

// First, middle and last; where workers that do not sleep share processors, and all is slow, one.
inline std::vector<std::size_t> some_ranks(const pleat::machine& machine, std::size_t v) {
  if (busy(machine)) return {v / 2};
  return {0, v / 2, v - 1};
}

inline const auto numbers_of_workers = worker_counts({1, 2, 3, 5, 8, 17});

}  // namespace model
