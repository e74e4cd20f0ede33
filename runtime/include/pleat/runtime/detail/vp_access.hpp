// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>

#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/rings.hpp>
#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/detail/vp_host.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Object that a higher layer, such as collectives, attaches to a virtual processor until the end
/// of the run, or to a machine.
struct attachment {
  attachment() = default;
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  virtual ~attachment() = default;
  /// Returns the error to report if the VPs left the attachment unfinished, or null. Called at the
  /// end of a run that did not fail.
  [[nodiscard]] virtual std::exception_ptr left_over() const { return nullptr; }
};
struct shared_attachment {
  std::mutex mutex;
  std::unique_ptr<attachment> content;
};

/// Access to a vp for the runtime, and for libraries whose VPs synchronise without a barrier.
struct PLEAT_API vp_access {
  [[nodiscard]] static vp_state& state(vp& me) noexcept { return me.state_; }
  [[nodiscard]] static const vp_state& state(const vp& me) noexcept { return me.state_; }

  // ---------------------------------------------------------------- rings

  /// Number of contexts of rings: one for each label, and one more.
  static constexpr unsigned contexts = 1 + most_labels;
  /// The ring from `me` to q, or from q to `me`, in a context of a library, which is separate from
  /// the contexts of its callers. Requires: context < contexts; q is in this process.
  /// Throws: std::bad_alloc.
  [[nodiscard]] static line_ring& ring_to(vp& me, std::size_t q, unsigned context);
  [[nodiscard]] static line_ring& ring_from(vp& me, std::size_t q, unsigned context);
  /// Ends in this process of the rings from and to VP q of another process.
  [[nodiscard]] static remote_ring& remote_ring_to(vp& me, std::size_t q, unsigned context);
  [[nodiscard]] static line_ring& remote_ring_from(vp& me, std::size_t q, unsigned context);
  /// Tells whether remote_ring::untaken is certain. Requires: there are other processes.
  [[nodiscard]] static bool remote_rings_settled(const vp& me) noexcept;
  /// Size of the largest message in a ring of this run. It is small if workers have many VPs, whose
  /// rings would take more memory than their data.
  [[nodiscard]] static std::size_t most_in_ring(const vp& me) noexcept;

  // ---------------------------------------------------------------- waiting

  /// Suspends the VP until the event has happened. `operation` names in what the VP waits, in the
  /// message of a deadlock; a string of static lifetime.
  static void suspend(vp& me, std::coroutine_handle<> self, std::size_t peer, const awaited& what,
                      std::string_view operation);
  /// Ends the run with `cause`, as an exception that leaves the program does, but unwinds nothing
  /// before all workers have stopped: others may still use memory that this VP has lent. `self` is
  /// its innermost coroutine, at a suspension point that is not resumed.
  static void end_run(vp& me, std::coroutine_handle<> self, std::exception_ptr cause) noexcept;
  /// Spins a little if the VP has its processor to itself. Returns true if the VP need not suspend.
  template <class Channel>
  [[nodiscard]] static bool soon(const vp& me, channel_event event, const Channel& at) {
    const vp_host& host = *me.state_.on;
    if (!host.spins_at_channels()) return false;
    constexpr int tight = 200;  // about as long as a few transfers of a cache line
    for (int spin = 0; spin < 2000 && !host.poisoned(); ++spin) {
      if (happened(event, at)) return true;
      if (spin >= tight) relax();
    }
    return false;
  }
  /// Wakes the other end, which may wait for this push or pop.
  static void notify(vp& me, std::size_t peer) noexcept;
  /// Wakes the workers of these VPs, up to all of this process.
  static void notify(vp& me, rank_range ranks) noexcept;

  // ---------------------------------------------------------------- costs

  /// Tells whether the machine traces.
  [[nodiscard]] static bool counts(const vp& me) noexcept { return me.state_.on->counts(); }
  /// Begins a round of a collective operation, which is a superstep of the trace. Requires: the
  /// machine traces. Throws: std::bad_alloc.
  static void begin_round(vp& me);
  /// Counts messages to VP q in this round; 0 if only the two are joined. Requires: the machine
  /// traces. Throws: std::bad_alloc.
  static void message_of_round(vp& me, std::size_t q, std::size_t count);

  // ---------------------------------------------------------------- the run

  /// Tells whether the machine is in strict mode.
  [[nodiscard]] static bool strict(const vp& me) noexcept;
  /// Attachment of the VP, and of its machine. All VPs share the latter, so lock it.
  [[nodiscard]] static std::unique_ptr<attachment>& attached(vp& me);
  [[nodiscard]] static shared_attachment& attached_to_machine(vp& me);
  /// Folding of VPs onto workers, the worker of this VP, and the number of the run.
  [[nodiscard]] static const fold& folding(const vp& me) noexcept;
  [[nodiscard]] static std::size_t worker_of(const vp& me) noexcept;
  [[nodiscard]] static std::uint64_t run_number(const vp& me) noexcept;
  /// Address space whose memory VP q may show to others, in the order of the VPs: its process of
  /// the machine, 0 on a machine of one. On a machine that traces each VP has a space of its own,
  /// so that all data moves in messages.
  [[nodiscard]] static std::size_t space_of(const vp& me, std::size_t q) noexcept;
  /// The VPs of an address space.
  [[nodiscard]] static rank_range vps_of_space(const vp& me, std::size_t space) noexcept;
  /// Tells whether another process of the machine carries out VP q.
  [[nodiscard]] static bool elsewhere(const vp& me, std::size_t q) noexcept;
  /// Cost of messages between the processes of the machine, the same on all of them. Requires:
  /// there are several.
  [[nodiscard]] static process_message_cost cost_between_processes(const vp& me) noexcept;
  /// Throws: usage_error if another process carries out VP q, because `what` is not possible in its
  /// memory.
  static void require_same_process(const vp& me, std::size_t q, const char* what);
};

}  // namespace pleat::detail
