// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include "rivals/sort_rivals.hpp"

namespace pleat::bench {

template <class T> void tbb_sort(std::span<T> keys, unsigned threads) {
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_sort(keys.begin(), keys.end(), key_order<T>{}); });
}

PLEAT_FOR_ALL_KEY_TYPES(tbb_sort);

}  // namespace pleat::bench
