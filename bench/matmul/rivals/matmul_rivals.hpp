// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "matmul/product_shape.hpp"
#include "measure/benchmark.hpp"

namespace pleat::bench {

/// A library that has the BLAS, loaded at run time: several of them have functions of the same
/// names, and each is called through its own. Matrices are in rows without gaps, and of floats or
/// doubles where nothing else is said. Each function throws pleat::environment_error if the library
/// lacks it.
class blas_library {
 public:
  /// Throws: pleat::environment_error if the file cannot be loaded or has no products.
  explicit blas_library(const char* path);

  [[nodiscard]] void* function(const char* name) const;

  /// C ← A·B, of complex numbers too.
  template <class T> void multiply(const product_shape& shape, const T* a, const T* b, T* c) const;
  /// omatcopy, or imatcopy if `out` is `in`: OpenBLAS's extension.
  template <class T> void transpose(std::size_t n, const T* in, T* out) const;
  /// potrf of the lower triangle.
  template <class T> void factorise(std::size_t n, T* a) const;
  /// trsm: the lower triangle of `a`, and m columns of `b`, which become the solution.
  template <class T> void solve(std::size_t n, std::size_t m, const T* a, T* b) const;

 private:
  const char* path_;
  void* library_;
  std::array<void*, 4> products_;
};

/// OpenBLAS, with the kernels and blocks it chooses for this processor, whatever somebody once set
/// in the environment.
/// Throws: pleat::environment_error if it cannot be loaded.
[[nodiscard]] blas_library openblas(unsigned threads);

/// BLIS, likewise; with AVX-512 its kernels for that.
[[nodiscard]] blas_library blis(unsigned threads);

/// Adds "openblas" or "blis": what make(library) makes of it.
template <class Make>
void add_blas(comparison& compared, const benchmark_options& options, std::string_view who,
              const Make& make) {
  compared.add_rival(options, who, [&]() -> candidate {
    return make((who == "blis" ? blis : openblas)(compared.processors));
  });
}

/// The product over min_plus or max_min that people write: three loops in blocks that stay in the
/// caches, the innermost along rows, OpenMP over blocks of rows, compiled for this very processor.
template <class Semiring, class T>
void openmp_product(const product_shape& shape, const T* a, const T* b, T* c, unsigned threads);

}  // namespace pleat::bench
