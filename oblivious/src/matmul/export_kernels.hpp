// SPDX-License-Identifier: Apache-2.0
//
// The kernels of PLEAT_MATMUL_KERNELS, which the file that includes this has defined: so no include
// guard.
#define PLEAT_PRODUCT(semiring, name, T)                                                        \
  PLEAT_KERNEL(void, multiply_packed, semiring##_##name,                                        \
               (const product<T>& block, std::byte* work), (block, work), algebra::semiring, T) \
  PLEAT_KERNEL(std::size_t, packed_bytes, semiring##_##name,                                    \
               (std::size_t m, std::size_t n, std::size_t k), (m, n, k), algebra::semiring, T)

#ifdef PLEAT_TARGET
#include "matmul/blocking.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {

template <algebra S, class T> void multiply_packed_of(const product<T>& block, std::byte* work) {
  multiply_blocks<tile_of<S, T>>(block, work);
}
template <algebra S, class T>
std::size_t packed_bytes_of(std::size_t m, std::size_t n, std::size_t k) {
  return block_sizes<tile_of<S, T>>::most_bytes(m, n, k);
}

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::matmul, PLEAT_MATMUL_KERNELS(PLEAT_PRODUCT))
