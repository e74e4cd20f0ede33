// SPDX-License-Identifier: Apache-2.0
#include <parallel/algorithm>

#include "sort_rivals.hpp"

namespace pleat::bench {

template <class T, class Order>
void gnu_parallel_sort(std::span<T> keys, unsigned threads, Order order) {
  __gnu_parallel::sort(
      keys.data(), keys.data() + keys.size(), order,
      __gnu_parallel::default_parallel_tag(static_cast<__gnu_parallel::_ThreadIndex>(threads)));
}

template <class T, class Order>
void gnu_parallel_stable_sort(std::span<T> keys, unsigned threads, Order order) {
  __gnu_parallel::stable_sort(
      keys.data(), keys.data() + keys.size(), order,
      __gnu_parallel::default_parallel_tag(static_cast<__gnu_parallel::_ThreadIndex>(threads)));
}

PLEAT_FOR_ALL_SORT_TYPES(PLEAT_SORT_OF, gnu_parallel_sort);
PLEAT_FOR_ALL_KEY_TYPES(PLEAT_ARGSORT_OF, gnu_parallel_sort);
PLEAT_FOR_ALL_KEY_TYPES(PLEAT_SORT_OF, gnu_parallel_stable_sort);

}  // namespace pleat::bench
