// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>

#include <pleat/oblivious/detail/matmul/block.hpp>

#include "vector_targets.hpp"

// Semiring, name, type of the elements.
#define PLEAT_MATMUL_KERNELS(KERNEL)           \
  KERNEL(plus_times, f32, float)               \
  KERNEL(plus_times, f64, double)              \
  KERNEL(plus_times, u32, std::uint32_t)       \
  KERNEL(plus_times, u64, std::uint64_t)       \
  KERNEL(plus_times, c32, std::complex<float>) \
  KERNEL(plus_times, c64, std::complex<double>)

#include "matmul/export_kernels.hpp"
