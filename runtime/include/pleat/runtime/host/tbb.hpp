// SPDX-License-Identifier: Apache-2.0
//
// Functions for programs that are linked with oneTBB (TBB::tbb). The library itself is not, and
// pleat.hpp does not include this header.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <exception>
#include <utility>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::onetbb {

/// Returns a value for machine_options::processors, for a machine with threads of its own that is
/// to be no larger than oneTBB may be: what tbb::global_control allows (max_allowed_parallelism),
/// at most the cores that this process may use. Machines do not call this by themselves. Throws: as
/// topology::host.
[[nodiscard]] inline unsigned processors() {
  const std::size_t allowed =
      ::tbb::global_control::active_value(::tbb::global_control::max_allowed_parallelism);
  return static_cast<unsigned>(std::clamp<std::size_t>(allowed, 1, topology::host().available()));
}

/// Calls work() inside the arena. Threads of the arena that have nothing else to do join the
/// machine until work() returns, and take part in its runs. There may be few, or none where
/// tbb::global_control allows none; the caller alone suffices.
///
/// ```c++
/// pleat::machine on({.workers = pleat::workers::borrowed});
/// tbb::task_arena arena(4);
/// pleat::onetbb::in_arena(arena, on, [&] { pleat::sort(on, keys); });
/// ```
///
/// Throws: what work() throws; what machine::gathering, machine::join and tbb::task_group throw.
template <std::invocable F> void in_arena(::tbb::task_arena& arena, machine& on, F&& work) {
  arena.execute([&] {
    ::tbb::task_group helpers;
    std::exception_ptr failed;
    try {
      const machine::gathering open(on);
      for (int i = 1; i < arena.max_concurrency(); ++i)
        helpers.run([&on, number = open.number()] { static_cast<void>(on.join(number)); });
      std::forward<F>(work)();
    } catch (...) {
      failed = std::current_exception();
    }
    helpers.wait();  // those that have not begun return at once
    if (failed) std::rethrow_exception(failed);
  });
}

}  // namespace pleat::onetbb
