// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/matmul/kernels.hpp>

// Vectors without a size known to the compiler cannot be kept in arrays of registers; processors
// that have them have NEON as well.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "matmul/boolean.cpp"
#include <hwy/foreach_target.h>  // recompiles this file for every target
#include <hwy/highway.h>

#include "matmul/blocking.hpp"

// Semiring, name, type of the elements, tile.
#define PLEAT_MATMUL_KERNELS(KERNEL)                                             \
  KERNEL(or_and, u8, std::uint8_t,                                               \
         number_tile<arithmetic<algebra::or_and, std::uint8_t>, std::uint8_t>)   \
  KERNEL(or_and, u32, std::uint32_t,                                             \
         number_tile<arithmetic<algebra::or_and, std::uint32_t>, std::uint32_t>) \
  KERNEL(or_and, u64, std::uint64_t,                                             \
         number_tile<arithmetic<algebra::or_and, std::uint64_t>, std::uint64_t>)

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {

// Highway exports plain functions, so each kernel gets a name of its own.
#define PLEAT_KERNEL(semiring, name, T, ...)                                           \
  void semiring##_##name(const product<T>& block, std::byte* work) {                   \
    multiply_blocks<__VA_ARGS__>(block, work);                                         \
  }                                                                                    \
  std::size_t semiring##_##name##_bytes(std::size_t m, std::size_t n, std::size_t k) { \
    return block_sizes<__VA_ARGS__>(m, n, k).bytes();                                  \
  }
PLEAT_MATMUL_KERNELS(PLEAT_KERNEL)
#undef PLEAT_KERNEL

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pleat::detail::matmul {

#define PLEAT_KERNEL(semiring, name, T, ...)                                                    \
  HWY_EXPORT(semiring##_##name);                                                                \
  HWY_EXPORT(semiring##_##name##_bytes);                                                        \
  template <>                                                                                   \
  void multiply_packed<algebra::semiring, T>(const product<T>& block, std::byte* work) {        \
    HWY_DYNAMIC_DISPATCH(semiring##_##name)(block, work);                                       \
  }                                                                                             \
  template <>                                                                                   \
  std::size_t packed_bytes<algebra::semiring, T>(std::size_t m, std::size_t n, std::size_t k) { \
    return HWY_DYNAMIC_DISPATCH(semiring##_##name##_bytes)(m, n, k);                            \
  }
PLEAT_MATMUL_KERNELS(PLEAT_KERNEL)
#undef PLEAT_KERNEL

}  // namespace pleat::detail::matmul
#endif  // HWY_ONCE
