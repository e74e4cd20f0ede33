// SPDX-License-Identifier: Apache-2.0
#include <parlay/integer_sort.h>

#include "sort_rivals.hpp"

namespace pleat::bench {

// Its threads are as many as PARLAY_NUM_THREADS says when the first sort begins.
template <class T, class Order> void dovetail_sort(std::span<T> keys, unsigned, Order) {
  parlay::integer_sort_inplace2(parlay::make_slice(keys.data(), keys.data() + keys.size()),
                                [](const T& key) { return word_of_key(key); });
}

PLEAT_FOR_ALL_NUMBER_TYPES(PLEAT_SORT_OF, dovetail_sort);
PLEAT_FOR_ALL_RECORD_TYPES(PLEAT_SORT_OF, dovetail_sort);

}  // namespace pleat::bench
