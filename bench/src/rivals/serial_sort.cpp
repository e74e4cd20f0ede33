// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rivals/sort_rivals.hpp"

namespace pleat::bench {

template <class T> void serial_sort(std::span<T> keys, unsigned) {
  std::sort(keys.begin(), keys.end(), key_order<T>{});
}

template <class T> void serial_stable_sort(std::span<T> keys, unsigned) {
  std::stable_sort(keys.begin(), keys.end(), key_order<T>{});
}

PLEAT_FOR_ALL_KEY_TYPES(serial_sort);
PLEAT_FOR_ALL_KEY_TYPES(serial_stable_sort);

}  // namespace pleat::bench
