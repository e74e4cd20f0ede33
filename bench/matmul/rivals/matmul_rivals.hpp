// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "blas_library.hpp"

namespace pleat::bench {

/// OpenBLAS, with the kernels and blocks it chooses for this processor, whatever somebody once set
/// in the environment.
/// Throws: pleat::environment_error if it cannot be loaded.
[[nodiscard]] blas_library openblas(unsigned threads);

/// BLIS, likewise; with AVX-512 its kernels for that.
[[nodiscard]] blas_library blis(unsigned threads);

/// The product over min_plus or max_min that people write: three loops in blocks that stay in the
/// caches, the innermost along rows, OpenMP over blocks of rows, compiled for this very processor.
template <class Semiring, class T>
void openmp_product(const product_shape& shape, const T* a, const T* b, T* c, unsigned threads);

}  // namespace pleat::bench
