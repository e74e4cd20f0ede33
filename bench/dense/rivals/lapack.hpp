// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "matmul/rivals/blas_library.hpp"

namespace pleat::bench {

/// Functions of a BLAS library beside products, for float and double matrices in rows without gaps.
/// Each throws pleat::environment_error if the library lacks it.
class lapack {
 public:
  explicit lapack(const blas_library& library) : library_(library) {}

  /// omatcopy, or imatcopy if `out` is `in`: OpenBLAS's extension.
  template <class T> void transpose(std::size_t n, const T* in, T* out) const;
  /// potrf of the lower triangle.
  template <class T> void factorise(std::size_t n, T* a) const;
  /// trsm: the lower triangle of `a`, and m columns of `b`, which become the solution.
  template <class T> void solve(std::size_t n, std::size_t m, const T* a, T* b) const;

 private:
  blas_library library_;
};

}  // namespace pleat::bench
