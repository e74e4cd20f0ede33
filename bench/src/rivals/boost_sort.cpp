// SPDX-License-Identifier: Apache-2.0
#include <boost/sort/sort.hpp>

#include "rivals/sort_rivals.hpp"

namespace pleat::bench {

template <class T> void boost_sort(std::span<T> keys, unsigned threads) {
  boost::sort::block_indirect_sort(keys.data(), keys.data() + keys.size(), key_order<T>{}, threads);
}

PLEAT_FOR_ALL_KEY_TYPES(boost_sort);

}  // namespace pleat::bench
