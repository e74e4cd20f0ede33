// SPDX-License-Identifier: Apache-2.0
#include "blas_library.hpp"

#include <dlfcn.h>
#include <string>
#include <type_traits>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw environment_error(what + "; configure the build again to look for the rivals anew");
}

void* loaded(const char* path) {
  if (void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const reason = ::dlerror();
  fail(std::string("cannot load ") + path + ": " + (reason != nullptr ? reason : "unknown"));
}

// Constants of cblas.h, which has been the same in every BLAS for decades. Complex factors are
// passed by their addresses.
constexpr int row_major = 101;
constexpr int as_it_is = 111;
template <class T, class Factor>
using gemm = void(int, int, int, int, int, int, Factor, const T*, int, const T*, int, Factor, T*,
                  int);

template <class T> constexpr std::size_t index_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? 0 : 1;
  return sizeof(T) == 8 ? 2 : 3;
}

}  // namespace

blas_library::blas_library(const char* path)
    : path_(path),
      library_(loaded(path)),
      products_{function("cblas_sgemm"), function("cblas_dgemm"), function("cblas_cgemm"),
                function("cblas_zgemm")} {}

void* blas_library::function(const char* name) const {
  if (void* const found = ::dlsym(library_, name)) return found;
  fail(std::string(path_) + " has no " + name);
}

template <class T>
void blas_library::multiply(const product_shape& shape, const T* a, const T* b, T* c) const {
  void* const function = products_[index_of<T>()];
  const int m = static_cast<int>(shape.rows);
  const int n = static_cast<int>(shape.columns);
  const int k = static_cast<int>(shape.inner);
  const T one(1);
  const T zero(0);
  if constexpr (std::is_floating_point_v<T>)
    reinterpret_cast<gemm<T, T>*>(function)(row_major, as_it_is, as_it_is, m, n, k, one, a, k, b, n,
                                            zero, c, n);
  else
    reinterpret_cast<gemm<T, const T*>*>(function)(row_major, as_it_is, as_it_is, m, n, k, &one, a,
                                                   k, b, n, &zero, c, n);
}

template void blas_library::multiply(const product_shape&, const float*, const float*,
                                     float*) const;
template void blas_library::multiply(const product_shape&, const double*, const double*,
                                     double*) const;
template void blas_library::multiply(const product_shape&, const std::complex<float>*,
                                     const std::complex<float>*, std::complex<float>*) const;
template void blas_library::multiply(const product_shape&, const std::complex<double>*,
                                     const std::complex<double>*, std::complex<double>*) const;

}  // namespace pleat::bench
