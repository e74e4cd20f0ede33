// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "everyday/everyday_work.hpp"

// Everyday algorithms of others; null where they have none. T is double or std::uint32_t.
namespace pleat::bench {

/// The standard library's, on one thread: each algorithm has one, which is also the oracle.
template <class T> [[nodiscard]] everyday_call<T> serial_everyday(everyday what);
/// oneTBB's parallel_for, parallel_reduce, parallel_scan and parallel_sort.
template <class T> [[nodiscard]] everyday_call<T> tbb_everyday(everyday what);
/// The standard library's with std::execution::par.
template <class T> [[nodiscard]] everyday_call<T> std_par_everyday(everyday what);
/// Loops with OpenMP directives.
template <class T> [[nodiscard]] everyday_call<T> openmp_everyday(everyday what);

}  // namespace pleat::bench
