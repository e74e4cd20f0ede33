// SPDX-License-Identifier: Apache-2.0
//
// Part of every test program: workers that share a PU are threads of their own, unless the user's
// environment says otherwise, so that what happens between threads is tested on small machines;
// machines do not look where those of other tests are, which run at the same time; and arrays of
// the same size are written past the caches everywhere.
#include <cstdlib>

namespace {

[[maybe_unused]] const int set_before_main = ::setenv("PLEAT_THREAD_EACH", "1", 0) +
                                             ::setenv("PLEAT_CLAIM_CORES", "0", 0) +
                                             ::setenv("PLEAT_CACHE", "16M", 0);

}  // namespace
