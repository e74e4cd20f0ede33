// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tbb/task_arena.h>

#include "everyday/everyday_work.hpp"

namespace pleat::bench {

/// Calls work(in, out) on `threads` threads of oneTBB, which libstdc++'s parallel algorithms use
/// too. Its instances are everyday_calls.
template <class T, auto work> std::uint64_t in_arena(everyday_arrays<T> x, unsigned threads) {
  tbb::task_arena arena(static_cast<int>(threads));
  std::uint64_t number = 0;
  arena.execute([&] { number = static_cast<std::uint64_t>(work(x.in, x.out)); });
  return number;
}

}  // namespace pleat::bench
