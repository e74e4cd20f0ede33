// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/sanitizer.hpp>

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

template <class Property> void random_rounds(std::size_t rounds, const Property& property) {
  const char* const given = std::getenv("PLEAT_TEST_SEED");
  const char* const seconds = std::getenv("PLEAT_TEST_SECONDS");
  const std::uint64_t first = given != nullptr ? std::stoull(given) : std::random_device{}();
  std::cout << "PLEAT_TEST_SEED=" << first << " repeats this run" << std::endl;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto end = now() + std::chrono::seconds(seconds != nullptr ? std::stoul(seconds) : 0);
  if (pleat::detail::sanitized) rounds = rounds / 8 + 1;
  for (std::size_t i = 0; i < rounds || now() < end; ++i) {
    SCOPED_TRACE("PLEAT_TEST_SEED=" + std::to_string(first + i));
    dice random(first + i);
    property(random);
    if (testing::Test::HasFailure()) return;
  }
}
