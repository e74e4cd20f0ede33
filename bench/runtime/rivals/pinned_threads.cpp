// SPDX-License-Identifier: Apache-2.0
#include "pinned_threads.hpp"

#include <array>
#include <cerrno>
#include <sched.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::bench {
namespace {

// Room for 65,536 PUs, where a plain cpu_set_t ends at 1,024.
constexpr std::size_t bits = 8 * sizeof(unsigned long);
using cpu_mask = std::array<unsigned long, 65536 / bits>;

cpu_set_t* as_set(cpu_mask& mask) { return reinterpret_cast<cpu_set_t*>(mask.data()); }

}  // namespace

void pin_this_thread(unsigned pu) { restrict_this_thread(std::span(&pu, 1)); }

void restrict_this_thread(std::span<const unsigned> pus) {
  cpu_mask mask{};
  for (const unsigned pu : pus) mask.at(pu / bits) |= 1UL << (pu % bits);
  if (::sched_setaffinity(0, sizeof(mask), as_set(mask)) == 0) return;
  throw environment_error("cannot bind a thread to PU " + to_index_list(pus) + ": " +
                          std::generic_category().message(errno) + "; choose others with --place");
}

void allow_what_parent_may() {
  cpu_mask mask{};
  // Without it we keep what we have, which is right unless a rival changed it.
  if (::sched_getaffinity(::getppid(), sizeof(mask), as_set(mask)) < 0) return;
  static_cast<void>(::sched_setaffinity(0, sizeof(mask), as_set(mask)));
}

}  // namespace pleat::bench
