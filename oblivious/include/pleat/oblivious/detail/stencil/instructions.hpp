// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace pleat::detail::stencils {

/// The instruction sets rows are compiled for. Not AVX-512: it includes fused products and sums,
/// which compilers then use. Products and sums are never fused, so that all of them give the same
/// values.
enum class instructions { baseline, avx2 };

/// Those this processor has, the best last.
inline std::vector<instructions> all_instructions() {
  std::vector<instructions> all{instructions::baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) all.push_back(instructions::avx2);
#endif
  return all;
}

}  // namespace pleat::detail::stencils
