// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "matmul_rivals.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {
namespace {

/// BLIS 0.9 knows AMD's processors up to Zen 3, and takes kernels without vectors on later ones.
/// All of those have AVX-512, for which it has kernels, under the name of an Intel processor.
void choose_kernels([[maybe_unused]] const blas_library& library) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512dq")) return;
  const auto name = reinterpret_cast<const char* (*)(int)>(library.function("bli_arch_string"));
  for (int kernels = 0; std::string_view(name(kernels)) != "generic"; ++kernels)
    if (std::string_view(name(kernels)) == "skx")
      ::setenv("BLIS_ARCH_TYPE", std::to_string(kernels).c_str(), 1);
#endif
}

}  // namespace

blas_library blis(unsigned threads) {
  for (const char* chosen : {"BLIS_ARCH_TYPE", "BLIS_THREAD_IMPL", "BLIS_JC_NT", "BLIS_PC_NT",
                             "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT"})
    ::unsetenv(chosen);
  blas_library library(PLEAT_BLIS);
  choose_kernels(library);
  reinterpret_cast<void (*)()>(library.function("bli_init"))();
  reinterpret_cast<void (*)(std::int64_t)>(library.function("bli_thread_set_num_threads"))(
      static_cast<std::int64_t>(threads));
  return library;
}

}  // namespace pleat::bench
