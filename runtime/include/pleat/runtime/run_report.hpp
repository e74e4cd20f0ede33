// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/shared_list.hpp>

namespace pleat {

/// PUs of one processor of a run, read back from the kernel after binding. The thread that called
/// run is bound only if a worker has to wait for some µs; in a run without such a wait the PUs are
/// those on which the thread was when the run began and ended.
struct binding {
  unsigned processor = 0;         ///< number in the machine, 0 … p − 1
  unsigned pu = 0;                ///< requested PU: index of the operating system
  std::vector<unsigned> allowed;  ///< PUs on which the kernel lets it run, or on which it was seen

  [[nodiscard]] bool bound() const noexcept { return allowed.size() == 1 && allowed[0] == pu; }
};

/// Activity of a processor other than computation.
enum class activity : unsigned char {
  waiting,        ///< for other processors, at a barrier or a channel
  communication,  ///< packs messages to other processors, copies messages from them
};
inline constexpr std::size_t activities = 2;

/// Time of a processor in seconds, by activity. The sum is the time from the start of its first
/// virtual processor to the end of its last. Waits of less than about 100 ns, and messages of less
/// than 8 KiB between two processors, count as computation: time stamps would cost as much as they
/// do.
struct processor_times {
  double first = 0;  ///< time of its start, in seconds since the call of run
  double computation = 0;
  double waiting = 0;
  double communication = 0;
};

/// One entry of a timeline; the time between two entries is computation.
struct timeline_span {
  activity what = activity::waiting;
  unsigned label = 0;  ///< of the barrier; labels() at a channel
  double begin = 0;    ///< seconds since the call of run
  double end = 0;
};

/// Report of a run. The counts depend on the program and v alone, not on the number of processors:
/// a message counts when a barrier delivers it to a virtual processor that has not ended. Copies of
/// a report share its lists; the machine's next run reuses their memory if no copy is left.
///
/// On a machine over several processes, the counts, the costs and the number of processors are
/// those of all processes, and equal on all; seconds, bindings, times, timelines and pages are
/// those of this process, whose processors are numbered from 0.
struct run_report {
  run_report() noexcept {
  }  // not defaulted: compilers would then fill the whole of an empty report with zeros

  std::size_t vps = 0;      ///< v
  unsigned processors = 0;  ///< number that carried out VPs: min(v, threads of the machine)
  /// Algorithm that ran, such as "distribution of words", if the library function has several; else
  /// empty.
  std::string_view algorithm = {};
  double seconds = 0;                     ///< from call to return, with the creation of VPs
  shared_list<std::uint64_t> supersteps;  ///< [label]: i-supersteps that VP 0 performed
  std::uint64_t messages = 0;             ///< delivered messages; a span of m elements is one
  std::uint64_t bytes = 0;                ///< delivered by copy; lent memory is not counted
  shared_list<binding> bindings;          ///< one for each processor that took part
  bool binding_refused = false;           ///< the kernel lets no thread be bound
  shared_list<processor_times> times;     ///< [processor]; with observed::times
  shared_list<std::vector<timeline_span>> timeline = {};  ///< [processor]; with observed::timeline
  std::size_t timeline_lost = 0;                          ///< spans beyond 2^16 of a processor
  std::optional<page_counts> pages = {};  ///< of scratch memory; with observed::pages
  /// [processor]; with observed::pages: pages of the memory that it keeps for the next run: virtual
  /// processors, their coroutine frames, and message buffers.
  shared_list<page_counts> processor_pages = {};
  std::optional<cost_trace> costs;  ///< if the machine has machine_options::trace
  /// Reason why such a machine has no costs: there was no run, or VPs read data from each other
  /// without messages.
  std::string_view uncounted = "the caller's thread did the work, without a run";

  /// Takes back the costs, if there are any. Requires: `why` has static storage duration.
  void leave_uncounted(std::string_view why) {
    if (costs) uncounted = why;
    costs.reset();
  }
};

}  // namespace pleat
