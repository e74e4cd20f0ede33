// SPDX-License-Identifier: Apache-2.0
#pragma once

// The targets kernels are not compiled for. Vectors without a size known to the compiler cannot be
// kept in arrays of registers; processors that have them have NEON as well. Sanitized builds, which
// take long to compile, make do with one kind of vectors and with none.
#ifdef PLEAT_FEW_TARGETS
#define PLEAT_LEFT_OUT (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3)
#else
#define PLEAT_LEFT_OUT 0
#endif
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | PLEAT_LEFT_OUT)
