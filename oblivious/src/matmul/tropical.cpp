// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/matmul/kernels.hpp>

#include "vector_targets.hpp"

// Semiring, name, type of the elements, tile.
#define PLEAT_MATMUL_KERNELS(KERNEL)                                                        \
  KERNEL(min_plus, f32, float, min_plus_f32_tile)                                           \
  KERNEL(min_plus, f64, double, number_tile<arithmetic<algebra::min_plus, double>, double>) \
  KERNEL(min_plus, i32, std::int32_t,                                                       \
         number_tile<arithmetic<algebra::min_plus, std::int32_t>, std::int32_t>)            \
  KERNEL(min_plus, i64, std::int64_t,                                                       \
         number_tile<arithmetic<algebra::min_plus, std::int64_t>, std::int64_t>)            \
  KERNEL(max_plus, f32, float, number_tile<arithmetic<algebra::max_plus, float>, float>)    \
  KERNEL(max_plus, f64, double, number_tile<arithmetic<algebra::max_plus, double>, double>) \
  KERNEL(max_plus, i32, std::int32_t,                                                       \
         number_tile<arithmetic<algebra::max_plus, std::int32_t>, std::int32_t>)            \
  KERNEL(max_plus, i64, std::int64_t,                                                       \
         number_tile<arithmetic<algebra::max_plus, std::int64_t>, std::int64_t>)            \
  KERNEL(min_plus, u32, std::uint32_t,                                                      \
         number_tile<arithmetic<algebra::min_plus, std::uint32_t>, std::uint32_t>)          \
  KERNEL(min_plus, u64, std::uint64_t,                                                      \
         number_tile<arithmetic<algebra::min_plus, std::uint64_t>, std::uint64_t>)

#include "matmul/export_kernels.hpp"
