// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include "sort_rivals.hpp"

#include <x86simdsort-static-incl.h>

namespace pleat::bench {

template <class T, class Order> void x86_simd_sort(std::span<T> keys, unsigned threads, Order) {
  omp_set_num_threads(static_cast<int>(threads));
  x86simdsortStatic::qsort(keys.data(), keys.size(), false, false);
}

PLEAT_FOR_ALL_NUMBER_TYPES(PLEAT_SORT_OF, x86_simd_sort);

}  // namespace pleat::bench
