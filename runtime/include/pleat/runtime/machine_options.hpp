// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>
#include <pleat/runtime/wait_policy.hpp>
#include <pleat/runtime/workers.hpp>

namespace pleat {

/// Parts of a run_report, besides counts and bindings, that runs record; `|` unites sets.
enum class observed : std::uint8_t {
  nothing = 0,
  times = 1,     ///< run_report::times: time of each processor by activity
  timeline = 3,  ///< times, and run_report::timeline; takes two time stamps a wait
  pages = 4,     ///< run_report::pages, processor_pages: NUMA nodes; 100 ns a page
};

[[nodiscard]] constexpr observed operator|(observed a, observed b) noexcept {
  return static_cast<observed>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// Tells whether all of `part` is in `set`.
[[nodiscard]] constexpr bool includes(observed set, observed part) noexcept {
  return (set | part) == set;
}

/// Options of a machine that counts the costs of its runs, see machine_options::trace.
struct tracing {
  bool dummies = false;  ///< count vp::dummy messages too
  /// Number of processors, v at most, onto which the VPs are folded to count the messages between
  /// each pair of processors: cost_trace::messages_between. 0: these are not counted. Takes 8 bytes
  /// for each pair and label.
  std::size_t processors = 0;
  /// Keeps every message, for routed(), folded() and traffic_of_levels(): 24 bytes a message. Not
  /// possible over ranks.
  bool messages = false;
};

/// Options of the threads that a machine makes.
struct thread_options {
  /// Makes a thread for each processor, even if processors share a PU. Unset: processors that share
  /// a PU are one thread, which switches between their virtual processors. Set it for programs
  /// whose VPs wait for each other in ways that the library does not know, such as locks; a barrier
  /// then costs switches of threads.
  std::optional<bool> each = {};
  /// Bytes of the stack of a thread, 64 KiB at least; a guard page lies below it. A value below the
  /// system's minimum (128 KiB on AArch64) gives that minimum.
  /// Unset: the limit of the main thread (`ulimit -s`), up to 64 MiB; 8 MiB if that is unlimited.
  std::optional<std::size_t> stack = {};
};

/// Options of a machine. An option that is not set is taken from its environment variable; if that
/// is not set either, it follows from the resources that the process may use:
/// runtime/docs/environment.md.
struct machine_options {
  /// Number of processors. Unset: PLEAT_NUM_PROCESSORS, else one per allowed core. For borrowed
  /// threads their maximum number; unset: PLEAT_NUM_PROCESSORS, else one per allowed hardware
  /// thread.
  std::optional<unsigned> processors = {};
  std::optional<placement_request> place = {};  ///< PLEAT_PLACE; else compact
  /// Unset: PLEAT_PIN or PLEAT_PLACE=unpinned; else kept, or free if the kernel refuses to move
  /// threads.
  std::optional<pleat::workers> workers = {};
  std::optional<wait_policy> wait = {};      ///< PLEAT_WAIT; else automatic
  std::optional<memory_policy> memory = {};  ///< PLEAT_MEMORY; else first-touch
  thread_options threads = {};
  /// Checks labels, clusters and loans. Unset: only in builds with assertions.
  std::optional<bool> strict = {};
  std::optional<pleat::topology> topology = {};  ///< else the host's
  observed observe = observed::times;
  /// Time that a call waits while another thread has the machine, before it throws
  /// environment_error; 0 throws at once. Unset, or more than a hundred years: the call waits for
  /// its turn without a limit.
  std::optional<std::chrono::milliseconds> patience = {};
  /// Runs count their supersteps and messages: run_report::costs. Such a machine has one worker and
  /// is strict, whatever the environment says; runs that cannot be counted throw as evaluate does.
  /// Over several processes each process has one worker, and all get the costs of the whole run.
  std::optional<tracing> trace = {};
};

/// Sets place and workers as PLEAT_PLACE would: to a placement, or for `unpinned` and
/// `unpinned/pu` to compact and workers::free. Throws: usage_error that shows the notation.
PLEAT_API void set_place(machine_options& of, std::string_view notation);

/// Returns the notation with which set_place sets the place and, if they are free, the workers.
[[nodiscard]] PLEAT_API std::string place_notation(const machine_options& of);

}  // namespace pleat
