// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdlib>

/// Number of tries of a random test: as many as it says, or, if the environment variable
/// PLEAT_TEST_SECONDS is set, for so many seconds.
///
///     for (rounds round(100); round.another();) …
class rounds {
 public:
  explicit rounds(int usual) : left_(usual) {
    if (const char* seconds = std::getenv("PLEAT_TEST_SECONDS")) {
      timed_ = true;
      end_ = clock::now() + std::chrono::duration_cast<clock::duration>(
                                std::chrono::duration<double>(std::strtod(seconds, nullptr)));
    }
  }
  [[nodiscard]] bool another() { return timed_ ? clock::now() < end_ : left_-- > 0; }

 private:
  using clock = std::chrono::steady_clock;
  int left_;
  bool timed_ = false;
  clock::time_point end_{};
};
