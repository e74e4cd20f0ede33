// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Loops of a rank over n things that it holds, on its own workers.
namespace pleat::detail::distribution {

/// Calls work(part) for parts of [0, n), one on each worker of this rank.
template <class Work> void in_parts(machine& on, std::size_t n, const Work& work) {
  const machine::rank_turn here(on);
  on.run(on.threads(), [&](vp& me) -> task<> {
    const interval<> part = interval<>{0, n}.share(me.rank(), me.size());
    if (!part.empty()) work(part);
    co_return;
  });
}

/// Calls work that may not be left half done: on this thread, if no worker can be had. Requires:
/// work does not throw, and may be done twice.
template <class Work> void in_parts_or_alone(machine& on, std::size_t n, const Work& work) {
  if (n == 0) return;
  try {
    distribution::in_parts(on, n, work);
  } catch (const error&) {
    work({0, n});
  } catch (const std::bad_alloc&) {
    work({0, n});
  }
}

}  // namespace pleat::detail::distribution
