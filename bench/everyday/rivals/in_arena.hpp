// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tbb/task_arena.h>

#include "everyday/everyday_work.hpp"

namespace pleat::bench {

/// Calls work(in, out) with `threads` threads of oneTBB, which libstdc++'s parallel algorithms use,
/// too. An everyday_call.
template <class T, auto work> std::uint64_t in_arena(everyday_arrays<T> x, unsigned threads) {
  tbb::task_arena arena(static_cast<int>(threads));
  std::uint64_t number = 0;
  arena.execute([&] { number = static_cast<std::uint64_t>(work(x.in, x.out)); });
  return number;
}

}  // namespace pleat::bench
