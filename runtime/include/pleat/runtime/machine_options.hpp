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

/// Set of what reports of runs say besides counts and bindings; `|` unites sets.
enum class observed : std::uint8_t {
  nothing = 0,
  times = 1,     ///< run_report::times: where each processor's time went
  timeline = 3,  ///< times, and run_report::timeline: what each did when; two stamps a wait
  pages = 4,     ///< run_report::pages, processor_pages: where memory is; 100 ns a page
};

[[nodiscard]] constexpr observed operator|(observed a, observed b) noexcept {
  return static_cast<observed>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// Tells whether all of `part` is in `set`.
[[nodiscard]] constexpr bool includes(observed set, observed part) noexcept {
  return (set | part) == set;
}

/// A machine whose runs are counted, see machine_options::trace.
struct tracing {
  bool dummies = false;  ///< count vp::dummy messages too
  /// Count besides who sends to whom when the VPs are folded onto that many processors, v at most:
  /// cost_trace::messages_between. 0: do not. Takes 8 bytes for each pair and label.
  std::size_t processors = 0;
  /// Keep every message, so that routed() can be asked for the costs: 24 bytes a message. Not over
  /// ranks.
  bool messages = false;
};

/// Threads that a machine makes.
struct thread_options {
  /// PLEAT_THREAD_EACH; else no: processors that share a PU are one thread, which switches between
  /// their virtual processors. Yes: a thread each, for programs that wait for each other in ways
  /// that the library does not know of, such as locks; a barrier then costs switches of threads.
  std::optional<bool> each = {};
  /// Bytes of the stack of a thread, 64 KiB at least; a page that nobody may touch lies below.
  /// PLEAT_STACK; else as many as the main thread may have (`ulimit -s`), up to 64 MiB; 8 MiB where
  /// that is unlimited.
  std::optional<std::size_t> stack = {};
};

/// Options of a machine. An option that is not given is taken from its environment variable, and
/// without one from what the process may use: runtime/docs/environment.md.
struct machine_options {
  /// PLEAT_NUM_PROCESSORS; else one per allowed core. Of borrowed threads, how many at most; else
  /// one per allowed hardware thread.
  std::optional<unsigned> processors = {};
  std::optional<placement_request> place = {};  ///< PLEAT_PLACE; else compact
  /// PLEAT_PIN, PLEAT_PLACE=unpinned; else kept, or free where the kernel refuses to move threads.
  std::optional<pleat::workers> workers = {};
  std::optional<wait_policy> wait = {};      ///< PLEAT_WAIT; else automatic
  std::optional<memory_policy> memory = {};  ///< PLEAT_MEMORY; else first-touch
  thread_options threads = {};
  /// Check labels, clusters, loans; else only in builds with assertions.
  std::optional<bool> strict = {};
  std::optional<pleat::topology> topology = {};  ///< else the host's
  observed observe = observed::times;
  /// Time that a call waits while another thread has the machine, before it throws
  /// environment_error; 0 refuses at once. Unset, or more than a hundred years: it waits for its
  /// turn, however long that takes.
  std::optional<std::chrono::milliseconds> patience = {};
  /// Runs count their supersteps and messages: run_report::costs. Such a machine has one worker and
  /// is strict, whatever the environment says; runs that cannot be counted throw as evaluate does.
  /// Over several processes each has one worker, and all have the costs of the whole run.
  std::optional<tracing> trace = {};
};

/// Sets place and workers as PLEAT_PLACE would: to a placement, or for `unpinned` and
/// `unpinned/pu` to compact and workers::free. Throws: usage_error that shows the notation.
PLEAT_API void set_place(machine_options& of, std::string_view notation);

/// Notation from which set_place makes the place and, if they are free, the workers of `of`.
[[nodiscard]] PLEAT_API std::string place_notation(const machine_options& of);

}  // namespace pleat
