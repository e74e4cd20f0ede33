// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/matmul/kernels.hpp>

#include "vector_targets.hpp"

// Semiring, name, type of the elements, tile.
#define PLEAT_MATMUL_KERNELS(KERNEL)                                                      \
  KERNEL(max_min, f32, float, number_tile<arithmetic<algebra::max_min, float>, float>)    \
  KERNEL(max_min, f64, double, number_tile<arithmetic<algebra::max_min, double>, double>) \
  KERNEL(max_min, i32, std::int32_t,                                                      \
         number_tile<arithmetic<algebra::max_min, std::int32_t>, std::int32_t>)           \
  KERNEL(max_min, i64, std::int64_t,                                                      \
         number_tile<arithmetic<algebra::max_min, std::int64_t>, std::int64_t>)           \
  KERNEL(max_min, u32, std::uint32_t,                                                     \
         number_tile<arithmetic<algebra::max_min, std::uint32_t>, std::uint32_t>)         \
  KERNEL(max_min, u64, std::uint64_t,                                                     \
         number_tile<arithmetic<algebra::max_min, std::uint64_t>, std::uint64_t>)

#include "matmul/export_kernels.hpp"
