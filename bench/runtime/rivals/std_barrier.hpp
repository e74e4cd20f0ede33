// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <cstddef>
#include <span>
#include <vector>

#include "measure/pinned_threads.hpp"

namespace pleat::bench {

/// std::barrier of the C++ library this program was built with, on pinned threads.
class std_barrier_team {
 public:
  explicit std_barrier_team(std::span<const unsigned> pus)
      : pus_(pus.begin(), pus.end()), barrier_(static_cast<std::ptrdiff_t>(pus.size())) {}

  template <class Body> void run(const Body& body) {
    run_pinned(pus_, [&](std::size_t thread) { body(static_cast<unsigned>(thread)); });
  }

  void wait(unsigned) { barrier_.arrive_and_wait(); }

 private:
  std::vector<unsigned> pus_;
  std::barrier<> barrier_;
};

}  // namespace pleat::bench
