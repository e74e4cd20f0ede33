// SPDX-License-Identifier: Apache-2.0
#include "host/process_affinity.hpp"

#include <algorithm>
#include <unistd.h>
#include <vector>

#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/error.hpp>

#include "host/foreign_runtimes.hpp"

namespace pleat::detail {

namespace {

/// Affinity of the main thread at the first call.
const affinity& at_load() {
  static constinit made_once<affinity> mask;
  return mask.get([] { return affinity::current(::getpid()); });
}

[[maybe_unused]] const bool loaded = [] {
  try {
    static_cast<void>(at_load());
  } catch (...) {
    // The next call tries again, and reports the error.
  }
  return true;
}();

}  // namespace

affinity process_affinity() {
  const affinity& mask = at_load();
  const std::vector<unsigned> own = mask.pus();
  std::vector<unsigned> all;
  bool bound_by_openmp = false;
  for (const std::vector<unsigned>& place : openmp_places()) {
    all.insert(all.end(), place.begin(), place.end());
    bound_by_openmp = bound_by_openmp || std::ranges::all_of(own, [&](unsigned pu) {
                        return std::ranges::find(place, pu) != place.end();
                      });
  }
  return affinity::of(bound_by_openmp ? all : own);
}

}  // namespace pleat::detail
