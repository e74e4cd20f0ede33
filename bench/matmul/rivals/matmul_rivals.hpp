// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace pleat::bench {

/// C ← A·B of n × n matrices in rows, by OpenBLAS, loaded at run time.
class openblas {
 public:
  /// With the kernels it chooses for this processor: OPENBLAS_CORETYPE is taken out of the
  /// environment of this process.
  /// Throws: pleat::environment_error if it cannot be loaded.
  explicit openblas(unsigned threads);

  void multiply(std::size_t n, const double* a, const double* b, double* c) const;
  void multiply(std::size_t n, const float* a, const float* b, float* c) const;

 private:
  void* dgemm_;
  void* sgemm_;
};

/// The product over min_plus that people write: three loops in blocks that stay in the caches, the
/// innermost along rows, OpenMP over blocks of rows, compiled for this very processor.
template <class T>
void openmp_min_plus(std::size_t n, const T* a, const T* b, T* c, unsigned threads);

}  // namespace pleat::bench
