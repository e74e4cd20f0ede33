// SPDX-License-Identifier: Apache-2.0
#include <boost/sort/sort.hpp>

#include "sort_rivals.hpp"

namespace pleat::bench {

template <class T, class Order> void boost_sort(std::span<T> keys, unsigned threads, Order order) {
  boost::sort::block_indirect_sort(keys.data(), keys.data() + keys.size(), order, threads);
}

PLEAT_FOR_ALL_SORT_TYPES(PLEAT_SORT_OF, boost_sort);
PLEAT_FOR_ALL_KEY_TYPES(PLEAT_ARGSORT_OF, boost_sort);

}  // namespace pleat::bench
