// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include "sort_rivals.hpp"

namespace pleat::bench {

template <class T, class Order> void tbb_sort(std::span<T> keys, unsigned threads, Order order) {
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_sort(keys.begin(), keys.end(), order); });
}

PLEAT_FOR_ALL_SORT_TYPES(PLEAT_SORT_OF, tbb_sort);
PLEAT_FOR_ALL_KEY_TYPES(PLEAT_ARGSORT_OF, tbb_sort);

}  // namespace pleat::bench
