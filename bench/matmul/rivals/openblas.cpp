// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "matmul_rivals.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {
namespace {

/// OpenBLAS 0.3.21 does not know Intel's processors after Sapphire Rapids, and takes kernels of
/// 2004 on them. Which ones it has taken it tells only when it is loaded, so it is told before.
void choose_kernels() {
  ::unsetenv("OPENBLAS_CORETYPE");
#if defined(__x86_64__)
  if (__builtin_cpu_is("intel") && __builtin_cpu_supports("avx512dq"))
    ::setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
#endif
}

}  // namespace

blas_library openblas(unsigned threads) {
  choose_kernels();
  ::unsetenv("OPENBLAS_L2_SIZE");
  blas_library library(PLEAT_OPENBLAS);
  reinterpret_cast<void (*)(int)>(library.function("openblas_set_num_threads"))(
      static_cast<int>(threads));
  return library;
}

}  // namespace pleat::bench
