// SPDX-License-Identifier: Apache-2.0
// The library forgets one of its includes.
#include <limits>

#include <ips4o.hpp>

#include "rivals/sort_rivals.hpp"

namespace pleat::bench {

template <class T> void ips4o_sort(std::span<T> keys, unsigned threads) {
  ips4o::parallel::sort(keys.data(), keys.data() + keys.size(), key_order<T>{},
                        static_cast<int>(threads));
}

PLEAT_FOR_ALL_KEY_TYPES(ips4o_sort);

}  // namespace pleat::bench
