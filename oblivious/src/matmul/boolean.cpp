// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/matmul/kernels.hpp>

#include "vector_targets.hpp"

// Semiring, name, type of the elements, tile.
#define PLEAT_MATMUL_KERNELS(KERNEL)                                             \
  KERNEL(or_and, u8, std::uint8_t,                                               \
         number_tile<arithmetic<algebra::or_and, std::uint8_t>, std::uint8_t>)   \
  KERNEL(or_and, u32, std::uint32_t,                                             \
         number_tile<arithmetic<algebra::or_and, std::uint32_t>, std::uint32_t>) \
  KERNEL(or_and, u64, std::uint64_t,                                             \
         number_tile<arithmetic<algebra::or_and, std::uint64_t>, std::uint64_t>)

#include "matmul/export_kernels.hpp"
