// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <dlfcn.h>
#include <string>

#include <pleat/runtime/error.hpp>

#include "matmul_rivals.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {
namespace {

constexpr int row_major = 101;  // of cblas.h, which has been the same in every BLAS for decades
constexpr int as_it_is = 111;
template <class T>
using gemm = void(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

template <class T> void call(void* function, std::size_t n, const T* a, const T* b, T* c) {
  const int size = static_cast<int>(n);
  reinterpret_cast<gemm<T>*>(function)(row_major, as_it_is, as_it_is, size, size, size, T(1), a,
                                       size, b, size, T(0), c, size);
}

void* load() {
  // The kernels and blocks it finds best, whatever somebody once set.
  ::unsetenv("OPENBLAS_CORETYPE");
  ::unsetenv("OPENBLAS_L2_SIZE");
  if (void* const library = ::dlopen(PLEAT_OPENBLAS, RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const reason = ::dlerror();
  throw environment_error(std::string("cannot load " PLEAT_OPENBLAS ": ") +
                          (reason != nullptr ? reason : "unknown") +
                          "; configure the build again to look for the rivals anew");
}

void* symbol(void* library, const char* name) {
  if (void* const found = ::dlsym(library, name)) return found;
  throw environment_error(std::string(PLEAT_OPENBLAS " has no ") + name +
                          "; configure the build again to look for the rivals anew");
}

}  // namespace

openblas::openblas(unsigned threads) {
  void* const library = load();
  dgemm_ = symbol(library, "cblas_dgemm");
  sgemm_ = symbol(library, "cblas_sgemm");
  const auto set_threads =
      reinterpret_cast<void (*)(int)>(symbol(library, "openblas_set_num_threads"));
  set_threads(static_cast<int>(threads));
}

void openblas::multiply(std::size_t n, const double* a, const double* b, double* c) const {
  call(dgemm_, n, a, b, c);
}
void openblas::multiply(std::size_t n, const float* a, const float* b, float* c) const {
  call(sgemm_, n, a, b, c);
}

}  // namespace pleat::bench
