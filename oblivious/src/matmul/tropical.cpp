// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <pleat/oblivious/detail/matmul/block.hpp>

#include "vector_targets.hpp"

// Semiring, name, type of the elements.
#define PLEAT_MATMUL_KERNELS(KERNEL)   \
  KERNEL(min_plus, f32, float)         \
  KERNEL(min_plus, f64, double)        \
  KERNEL(min_plus, i32, std::int32_t)  \
  KERNEL(min_plus, i64, std::int64_t)  \
  KERNEL(min_plus, u32, std::uint32_t) \
  KERNEL(min_plus, u64, std::uint64_t) \
  KERNEL(max_plus, f32, float)         \
  KERNEL(max_plus, f64, double)        \
  KERNEL(max_plus, i32, std::int32_t)  \
  KERNEL(max_plus, i64, std::int64_t)

#include "matmul/export_kernels.hpp"
