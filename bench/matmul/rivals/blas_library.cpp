// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <type_traits>

#include <pleat/runtime/error.hpp>

#include "matmul_rivals.hpp"
#include "pleat_rivals_linked.hpp"

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
constexpr int row_major = 101, as_it_is = 111, turned = 112, lower = 122, no_units = 131,
              from_left = 141;
template <class T, class Factor>
using gemm = void(int, int, int, int, int, int, Factor, const T*, int, const T*, int, Factor, T*,
                  int);

template <class T> constexpr std::size_t index_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? 0 : 1;
  return sizeof(T) == 8 ? 2 : 3;
}

/// The function of a name for float or double: `before`, s or d, `after`.
template <class T>
void* of_type(const blas_library& library, const std::string& before, const std::string& after) {
  return library.function((before + (sizeof(T) == 4 ? "s" : "d") + after).c_str());
}

// OpenBLAS 0.3.21 does not know Intel's processors after Sapphire Rapids, and takes kernels of
// 2004 on them. Which ones it has taken it tells only when it is loaded, so it is told before.
void choose_openblas_kernels() {
  ::unsetenv("OPENBLAS_CORETYPE");
#if defined(__x86_64__)
  if (std::string_view(PLEAT_OPENBLAS_VERSION).starts_with("0.3.21") && __builtin_cpu_is("intel") &&
      __builtin_cpu_supports("avx512dq"))
    ::setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
#endif
}

// BLIS 0.9 knows AMD's processors up to Zen 3, and takes kernels without vectors on later ones.
// All of those have AVX-512, for which it has kernels, under the name of an Intel processor.
void choose_blis_kernels([[maybe_unused]] const blas_library& library) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512dq")) return;
  const auto name = reinterpret_cast<const char* (*)(int)>(library.function("bli_arch_string"));
  for (int kernels = 0; std::string_view(name(kernels)) != "generic"; ++kernels)
    if (std::string_view(name(kernels)) == "skx")
      ::setenv("BLIS_ARCH_TYPE", std::to_string(kernels).c_str(), 1);
#endif
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
  const int m = static_cast<int>(shape.rows), n = static_cast<int>(shape.columns);
  const int k = static_cast<int>(shape.inner);
  const T one(1), zero(0);
  if constexpr (std::is_floating_point_v<T>)
    reinterpret_cast<gemm<T, T>*>(function)(row_major, as_it_is, as_it_is, m, n, k, one, a, k, b, n,
                                            zero, c, n);
  else
    reinterpret_cast<gemm<T, const T*>*>(function)(row_major, as_it_is, as_it_is, m, n, k, &one, a,
                                                   k, b, n, &zero, c, n);
}

template <class T> void blas_library::transpose(std::size_t n, const T* in, T* out) const {
  const int side = static_cast<int>(n);
  if (in == out) {
    using in_place = void(int, int, int, int, T, T*, int, int);
    reinterpret_cast<in_place*>(of_type<T>(*this, "cblas_", "imatcopy"))(row_major, turned, side,
                                                                         side, 1, out, side, side);
  } else {
    using copy = void(int, int, int, int, T, const T*, int, T*, int);
    reinterpret_cast<copy*>(of_type<T>(*this, "cblas_", "omatcopy"))(row_major, turned, side, side,
                                                                     1, in, side, out, side);
  }
}

template <class T> void blas_library::factorise(std::size_t n, T* a) const {
  using factor = void(const char*, const int*, T*, const int*, int*, std::size_t);
  const int side = static_cast<int>(n);
  int failed = 0;
  // Fortran's columns are our rows, so that our lower triangle is its upper one.
  reinterpret_cast<factor*>(of_type<T>(*this, "", "potrf_"))("U", &side, a, &side, &failed, 1);
}

template <class T> void blas_library::solve(std::size_t n, std::size_t m, const T* a, T* b) const {
  using solver = void(int, int, int, int, int, int, int, T, const T*, int, T*, int);
  const int rows = static_cast<int>(n), columns = static_cast<int>(m);
  reinterpret_cast<solver*>(of_type<T>(*this, "cblas_", "trsm"))(
      row_major, from_left, lower, as_it_is, no_units, rows, columns, 1, a, rows, b, columns);
}

#define PLEAT_PRODUCT(...)                                                       \
  template void blas_library::multiply(const product_shape&, const __VA_ARGS__*, \
                                       const __VA_ARGS__*, __VA_ARGS__*) const
#define PLEAT_OF_TYPE(T)                                                  \
  PLEAT_PRODUCT(T);                                                       \
  PLEAT_PRODUCT(std::complex<T>);                                         \
  template void blas_library::transpose(std::size_t, const T*, T*) const; \
  template void blas_library::factorise(std::size_t, T*) const;           \
  template void blas_library::solve(std::size_t, std::size_t, const T*, T*) const
PLEAT_OF_TYPE(float);
PLEAT_OF_TYPE(double);

blas_library openblas(unsigned threads) {
  choose_openblas_kernels();
  ::unsetenv("OPENBLAS_L2_SIZE");
  blas_library library(PLEAT_OPENBLAS);
  reinterpret_cast<void (*)(int)>(library.function("openblas_set_num_threads"))(
      static_cast<int>(threads));
  return library;
}

blas_library blis(unsigned threads) {
  for (const char* chosen : {"BLIS_ARCH_TYPE", "BLIS_THREAD_IMPL", "BLIS_JC_NT", "BLIS_PC_NT",
                             "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT"})
    ::unsetenv(chosen);
  blas_library library(PLEAT_BLIS);
  choose_blis_kernels(library);
  reinterpret_cast<void (*)()>(library.function("bli_init"))();
  reinterpret_cast<void (*)(std::int64_t)>(library.function("bli_thread_set_num_threads"))(
      static_cast<std::int64_t>(threads));
  return library;
}

}  // namespace pleat::bench
