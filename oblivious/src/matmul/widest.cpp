// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <pleat/oblivious/detail/matmul/block.hpp>

#include "vector_targets.hpp"

// Semiring, name, type of the elements.
#define PLEAT_MATMUL_KERNELS(KERNEL)  \
  KERNEL(max_min, f32, float)         \
  KERNEL(max_min, f64, double)        \
  KERNEL(max_min, i32, std::int32_t)  \
  KERNEL(max_min, i64, std::int64_t)  \
  KERNEL(max_min, u32, std::uint32_t) \
  KERNEL(max_min, u64, std::uint64_t)

#include "matmul/export_kernels.hpp"
