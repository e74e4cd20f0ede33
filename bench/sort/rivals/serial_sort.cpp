// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sort_rivals.hpp"

namespace pleat::bench {

template <class T, class Order> void serial_sort(std::span<T> keys, unsigned, Order order) {
  std::sort(keys.begin(), keys.end(), order);
}

template <class T, class Order> void serial_stable_sort(std::span<T> keys, unsigned, Order order) {
  std::stable_sort(keys.begin(), keys.end(), order);
}

PLEAT_FOR_ALL_SORT_TYPES(PLEAT_SORT_OF, serial_sort);
PLEAT_FOR_ALL_KEY_TYPES(PLEAT_ARGSORT_OF, serial_sort);
PLEAT_FOR_ALL_KEY_TYPES(PLEAT_SORT_OF, serial_stable_sort);

}  // namespace pleat::bench
