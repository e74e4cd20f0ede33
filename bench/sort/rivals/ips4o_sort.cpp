// SPDX-License-Identifier: Apache-2.0
// The library forgets one of its includes.
#include <limits>

#include <ips4o.hpp>

#include "sort_rivals.hpp"

namespace pleat::bench {

template <class T, class Order> void ips4o_sort(std::span<T> keys, unsigned threads, Order order) {
  ips4o::parallel::sort(keys.data(), keys.data() + keys.size(), order, static_cast<int>(threads));
}

PLEAT_FOR_ALL_SORT_TYPES(PLEAT_SORT_OF, ips4o_sort);
PLEAT_FOR_ALL_KEY_TYPES(PLEAT_ARGSORT_OF, ips4o_sort);

}  // namespace pleat::bench
