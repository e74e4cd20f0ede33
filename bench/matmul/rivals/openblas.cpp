// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "matmul_rivals.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {

blas_library openblas(unsigned threads) {
  ::unsetenv("OPENBLAS_CORETYPE");
  ::unsetenv("OPENBLAS_L2_SIZE");
  blas_library library(PLEAT_OPENBLAS);
  reinterpret_cast<void (*)(int)>(library.function("openblas_set_num_threads"))(
      static_cast<int>(threads));
  return library;
}

}  // namespace pleat::bench
