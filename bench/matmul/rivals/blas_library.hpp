// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>

#include "matmul/product_shape.hpp"

namespace pleat::bench {

/// A library that has the BLAS, loaded at run time: several of them have functions of the same
/// names, and each is called through its own.
class blas_library {
 public:
  /// Throws: pleat::environment_error if the file cannot be loaded or has no products.
  explicit blas_library(const char* path);

  /// Throws: pleat::environment_error if there is no such function.
  [[nodiscard]] void* function(const char* name) const;

  /// C ← A·B, all in rows without gaps. Float, double and both complex types.
  template <class T> void multiply(const product_shape& shape, const T* a, const T* b, T* c) const;

 private:
  const char* path_;
  void* library_;
  std::array<void*, 4> products_;
};

}  // namespace pleat::bench
