// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/matmul/kernels.hpp>

#include "vector_targets.hpp"

// Semiring, name, type of the elements, tile.
#define PLEAT_MATMUL_KERNELS(KERNEL)                                                            \
  KERNEL(plus_times, f32, float, number_tile<arithmetic<algebra::plus_times, float>, float>)    \
  KERNEL(plus_times, f64, double, number_tile<arithmetic<algebra::plus_times, double>, double>) \
  KERNEL(plus_times, u32, std::uint32_t,                                                        \
         number_tile<arithmetic<algebra::plus_times, std::uint32_t>, std::uint32_t>)            \
  KERNEL(plus_times, u64, std::uint64_t,                                                        \
         number_tile<arithmetic<algebra::plus_times, std::uint64_t>, std::uint64_t>)            \
  KERNEL(plus_times, c32, std::complex<float>, complex_tile<float>)                             \
  KERNEL(plus_times, c64, std::complex<double>, complex_tile<double>)

#include "matmul/export_kernels.hpp"
