// SPDX-License-Identifier: Apache-2.0
//
// Part of every test program: workers that share a PU are threads of their own, so that what
// happens between threads is tested on small machines; machines do not look where those of other
// tests are, which run at the same time; arrays of the same size are written past the caches
// everywhere; and with PLEAT_TEST_APART ranks of a node share no memory, as if each had a node of
// its own.
#include <cstdlib>

#include "base/process_defaults.hpp"

namespace {

[[maybe_unused]] const bool set_before_main = [] {
  pleat::detail::defaults = {.thread_each = true,
                             .claim_cores = false,
                             .reads_neighbours = std::getenv("PLEAT_TEST_APART") == nullptr,
                             .cache_bytes = std::size_t{16} << 20};
  return true;
}();

}  // namespace
