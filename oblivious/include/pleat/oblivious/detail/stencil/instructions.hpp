// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <span>
#include <vector>

// AVX-512 includes fused products and sums, which round once where separate instructions round
// twice. GCC can be told not to use them. Clang decides when it parses the kernel, so with clang
// AVX-512 is used only if products and sums may be fused everywhere.
//
// Builds of this project leave out the sets that PLEAT_TARGETS does not name.
#if !defined(__x86_64__) || defined(PLEAT_STENCILS_WITHOUT_AVX3)
#elif defined(__FMA__)
#define PLEAT_ROWS_AVX512 [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw"), gnu::flatten]]
#elif !defined(__clang__)
#define PLEAT_ROWS_AVX512                                                      \
  [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512"), \
    gnu::optimize("fp-contract=off"), gnu::flatten]]
#endif

#if defined(__x86_64__) && !defined(PLEAT_STENCILS_WITHOUT_AVX2)
#define PLEAT_ROWS_AVX2 [[gnu::target("avx2"), gnu::flatten]]
#endif
#if !defined(PLEAT_STENCILS_WITHOUT_baseline) || \
    !(defined(PLEAT_ROWS_AVX512) || defined(PLEAT_ROWS_AVX2))
#define PLEAT_ROWS_BASELINE [[gnu::flatten]]
#endif

namespace pleat::detail::stencils {

/// Instruction sets for the update of cells. With none of them products and sums are fused, unless
/// the compiler may do so everywhere: all give the same values.
enum class instructions { baseline, avx2, avx512 };

/// Lists the sets that this processor has, the best last.
[[nodiscard]] PLEAT_API std::vector<instructions> host_instructions();

/// True if the including file is compiled for AVX-512. Compilers differ, also inside one program.
#if defined(PLEAT_ROWS_AVX512)
constexpr bool compiles_avx512 = true;
#else
constexpr bool compiles_avx512 = false;
#endif

/// Lists the sets that this processor has and the caller is compiled for.
inline std::vector<instructions> all_instructions(bool with_avx512 = compiles_avx512) {
  std::vector<instructions> all = host_instructions();
  if (!with_avx512) std::erase(all, instructions::avx512);
#if !defined(PLEAT_ROWS_AVX2)
  std::erase(all, instructions::avx2);
#endif
#if !defined(PLEAT_ROWS_BASELINE)
  std::erase(all, instructions::baseline);
#endif
  return all;
}

/// Chooses the last of these sets, or the one that PLEAT_KERNELS forces. Requires: not empty.
/// Throws: usage_error if PLEAT_KERNELS names a set that does not exist or is not among these.
[[nodiscard]] PLEAT_API instructions chosen_instructions(std::span<const instructions> compiled);

/// Body::run<Bytes>(args…), compiled for each instruction set, with vectors of `Bytes` bytes.
/// Everything is inlined into it, including the user's kernel.
template <class Body, class... Args> class compiled {
 public:
  using function = void (*)(Args...);

  /// Requires: one of all_instructions().
  [[nodiscard]] static function for_set([[maybe_unused]] instructions set) noexcept {
#if defined(PLEAT_ROWS_AVX512)
    if (set == instructions::avx512) return &with_avx512;
#endif
#if defined(PLEAT_ROWS_AVX2)
    if (set == instructions::avx2) return &with_avx2;
#endif
#if defined(PLEAT_ROWS_BASELINE)
    return &with_baseline;
#else
    return nullptr;
#endif
  }

 private:
#if defined(PLEAT_ROWS_BASELINE)
  PLEAT_ROWS_BASELINE static void with_baseline(Args... args) { Body::template run<16>(args...); }
#endif
#if defined(PLEAT_ROWS_AVX2)
  PLEAT_ROWS_AVX2 static void with_avx2(Args... args) { Body::template run<32>(args...); }
#endif
#if defined(PLEAT_ROWS_AVX512)
  PLEAT_ROWS_AVX512 static void with_avx512(Args... args) { Body::template run<64>(args...); }
#endif
};

#undef PLEAT_ROWS_BASELINE
#undef PLEAT_ROWS_AVX2
#undef PLEAT_ROWS_AVX512

}  // namespace pleat::detail::stencils
