// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/sanitizer.hpp"
#include "rounds.hpp"
#include "seed.hpp"

// Random tests: so many rounds, each with a generator of its own, whose seed is in the message of
// what fails. PLEAT_TEST_SEED=s repeats a run, PLEAT_TEST_SECONDS=t goes on for that long.

class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {}

  /// One of 0 … n − 1.
  std::size_t operator()(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  template <class T> T one_of(std::initializer_list<T> these) {
    return these.begin()[(*this)(these.size())];
  }
  /// Small numbers more often than large ones.
  std::size_t size(std::size_t most) { return (*this)((std::size_t{2} << (*this)(17)) % most + 1); }
  std::uint64_t word() { return random_(); }
  std::mt19937_64& generator() { return random_; }

 private:
  std::mt19937_64 random_;
};

template <class Property> void random_rounds(int usual, const Property& property) {
  std::uint64_t of_round = seed();
  for (rounds round(pleat::detail::sanitized ? usual / 8 + 1 : usual); round.another();
       ++of_round) {
    SCOPED_TRACE("PLEAT_TEST_SEED=" + std::to_string(of_round));
    dice random(of_round);
    property(random);
    if (testing::Test::HasFailure()) return;
  }
}
