// SPDX-License-Identifier: Apache-2.0
#pragma once

// The targets kernels are not compiled for. Vectors without a size known to the compiler cannot be
// kept in arrays of registers; processors that have them have NEON as well. Processors with SSSE3
// and no SSE4 are of 2006. Sanitized builds, which take long to compile, make do with AVX2 and
// SSE2.
#ifdef PLEAT_FEW_TARGETS
#define PLEAT_LEFT_OUT (HWY_SSE4 | HWY_AVX3)
#else
#define PLEAT_LEFT_OUT 0
#endif
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | PLEAT_LEFT_OUT)
