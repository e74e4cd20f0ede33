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
/// run is bound if a worker has to wait for some µs; in a run without such a wait the PUs are those
/// it was seen on when the run began and ended.
struct binding {
  unsigned processor = 0;         ///< of the machine, 0 … p − 1
  unsigned pu = 0;                ///< asked for: index of the operating system
  std::vector<unsigned> allowed;  ///< the PUs the kernel lets it run on, or where it was seen

  [[nodiscard]] bool bound() const noexcept { return allowed.size() == 1 && allowed[0] == pu; }
};

/// Activity of a processor other than computation.
enum class activity : unsigned char {
  waiting,        ///< for other processors, at a barrier or a channel
  communication,  ///< packs what goes to other processors, copies what comes from them
};
inline constexpr std::size_t activities = 2;

/// Time of a processor in seconds, by activity. Their sum is the time from its first virtual
/// processor to its last. Waits of less than about 100 ns and messages of less than 8 KiB between
/// two processors are not told from computation: to stamp them would cost as much as they do.
struct processor_times {
  double first = 0;  ///< when it began, seconds since the call of run
  double computation = 0;
  double waiting = 0;
  double communication = 0;
};

/// One entry of a timeline; what lies between two of them is computation.
struct timeline_span {
  activity what = activity::waiting;
  unsigned label = 0;  ///< of the barrier; labels() at a channel
  double begin = 0;    ///< seconds since the call of run
  double end = 0;
};

/// Report of a run. The counts depend on the program and v alone, not on the number of processors:
/// a message counts when a barrier hands it to a virtual processor that has not ended. Copies share
/// their lists; a machine's next run writes them anew if no copy is left.
///
/// Of a machine over several processes, the counts, costs and the number of processors are of all
/// of them, and the same on all; seconds, bindings, times, timelines and pages are of this one,
/// whose processors are numbered from 0.
struct run_report {
  run_report() noexcept {
  }  // not defaulted: compilers fill all of an empty report then, for nothing

  std::size_t vps = 0;      ///< v
  unsigned processors = 0;  ///< that carried out VPs: min(v, its threads)
  /// Algorithm that ran, of a function of the library that has several, such as "distribution of
  /// words"; else empty.
  std::string_view algorithm = {};
  double seconds = 0;                     ///< from the call to the return, creation of VPs included
  shared_list<std::uint64_t> supersteps;  ///< [label]: i-supersteps that VP 0 performed
  std::uint64_t messages = 0;             ///< delivered, a span of m elements as one
  std::uint64_t bytes = 0;                ///< delivered by copy; lent memory is not counted
  shared_list<binding> bindings;          ///< one a processor that took part
  bool binding_refused = false;           ///< the kernel lets no thread be bound: none was
  shared_list<processor_times> times;     ///< [processor]; with observed::times
  shared_list<std::vector<timeline_span>> timeline = {};  ///< [processor]; with observed::timeline
  std::size_t timeline_lost = 0;                          ///< spans beyond 2^16 of a processor
  std::optional<page_counts> pages = {};  ///< of scratch memory; with observed::pages
  /// [processor]; with observed::pages: of what it keeps for the next run, that is its
  /// virtual processors, their coroutine frames, and buffers of messages.
  shared_list<page_counts> processor_pages = {};
  std::optional<cost_trace> costs;  ///< of a machine with machine_options::trace
  /// Reason why such a machine has no costs: what VPs read of each other without messages.
  std::string_view uncounted = {};
};

}  // namespace pleat
