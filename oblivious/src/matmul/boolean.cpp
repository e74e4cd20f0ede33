// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <pleat/oblivious/detail/matmul/block.hpp>

#include "vector_targets.hpp"

// Semiring, name, type of the elements.
#define PLEAT_MATMUL_KERNELS(KERNEL) \
  KERNEL(or_and, u8, std::uint8_t)   \
  KERNEL(or_and, u32, std::uint32_t) \
  KERNEL(or_and, u64, std::uint64_t)

#include "matmul/export_kernels.hpp"
