// SPDX-License-Identifier: Apache-2.0
#include "sort_rivals.hpp"

#include <ips2ra.hpp>

namespace pleat::bench {

template <class T, class Order> void ips2ra_sort(std::span<T> keys, unsigned threads, Order) {
  ips2ra::parallel::sort(
      keys.data(), keys.data() + keys.size(), [](const T& key) { return word_of_key(key); },
      static_cast<int>(threads));
}

PLEAT_FOR_ALL_NUMBER_TYPES(PLEAT_SORT_OF, ips2ra_sort);
PLEAT_FOR_ALL_RECORD_TYPES(PLEAT_SORT_OF, ips2ra_sort);

}  // namespace pleat::bench
