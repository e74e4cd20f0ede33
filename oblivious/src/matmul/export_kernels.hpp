// SPDX-License-Identifier: Apache-2.0
//
// The kernels of PLEAT_MATMUL_KERNELS, which the file that includes this has defined: so no include
// guard.

#ifdef PLEAT_TARGET
#include "matmul/blocking.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {

// Highway exports plain functions, so each kernel gets a name of its own.
#define PLEAT_KERNEL(semiring, name, T, ...)                                           \
  void semiring##_##name(const product<T>& block, std::byte* work) {                   \
    multiply_blocks<__VA_ARGS__>(block, work);                                         \
  }                                                                                    \
  std::size_t semiring##_##name##_bytes(std::size_t m, std::size_t n, std::size_t k) { \
    return block_sizes<__VA_ARGS__>::most_bytes(m, n, k);                              \
  }
PLEAT_MATMUL_KERNELS(PLEAT_KERNEL)
#undef PLEAT_KERNEL

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#else  // what calls them

namespace pleat::detail::matmul {

#define PLEAT_KERNEL(semiring, name, T, ...)                                                    \
  PLEAT_KERNELS(decltype(multiply_packed<algebra::semiring, T>) semiring##_##name;              \
                decltype(packed_bytes<algebra::semiring, T>) semiring##_##name##_bytes;)        \
  PLEAT_EXPORT(semiring##_##name);                                                              \
  PLEAT_EXPORT(semiring##_##name##_bytes);                                                      \
  template <>                                                                                   \
  void multiply_packed<algebra::semiring, T>(const product<T>& block, std::byte* work) {        \
    PLEAT_DISPATCH(semiring##_##name)(block, work);                                             \
  }                                                                                             \
  template <>                                                                                   \
  std::size_t packed_bytes<algebra::semiring, T>(std::size_t m, std::size_t n, std::size_t k) { \
    return PLEAT_DISPATCH(semiring##_##name##_bytes)(m, n, k);                                  \
  }
PLEAT_MATMUL_KERNELS(PLEAT_KERNEL)
#undef PLEAT_KERNEL

}  // namespace pleat::detail::matmul
#endif
