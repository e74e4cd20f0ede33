// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/detail/vp_host.hpp>
#include <pleat/runtime/memory_of.hpp>

#include "costs/cost_recorder.hpp"
#include "costs/time_account.hpp"
#include "engine/barriers.hpp"
#include "engine/idle_loop.hpp"
#include "engine/run_state.hpp"
#include "engine/scheduler.hpp"
#include "engine/vp_rings.hpp"
#include "mail/channel_wait.hpp"
#include "mail/mail.hpp"

namespace pleat::detail {

/// Carries out one range of virtual processors in a run: it makes them, resumes those that the
/// scheduler chooses, has mail delivered when they have come to a barrier, waits while none can
/// continue, and destroys them.
///
/// Thread safety: one thread. When no VP of the run can continue, `diagnose` reads everything.
class alignas(destructive_distance) worker final : public vp_host {
 public:
  worker(run_state& run, std::size_t index);
  ~worker();

  /// Carries out a whole run of this worker, on the calling thread. A failure poisons the run.
  void work() noexcept;

  // ------------------------------------------------ for vp, besides what vp_host has

  /// Records that the running VP suspends at a channel.
  void suspended_at_channel(channel_wait&& wait);
  /// Records that the running VP has failed, and suspends until it is unwound, when all workers
  /// have stopped.
  void suspended_for_ever(std::size_t rank, std::exception_ptr cause) noexcept;
  /// Tells whether this worker has a single VP, which then waits without suspending; worker 0
  /// serves other processes meanwhile.
  [[nodiscard]] bool solo() const noexcept { return solo_; }
  /// Records messages of VP `source`, for the check of the superstep in strict mode and for the
  /// costs.
  void note_messages(std::size_t source, std::size_t destination, std::size_t messages) {
    record_message(source, destination, messages);
    reach_ = std::max(reach_, source ^ destination);
  }
  void record_message(std::size_t source, std::size_t destination, std::uint64_t messages) {
    if (recorder_ != nullptr) recorder_->message(source, source, destination, messages);
  }
  /// Does the same for elements that VP `reader` reads from memory of another one.
  void note_reading(std::size_t owner, std::size_t reader, std::size_t elements) {
    if (recorder_ != nullptr) recorder_->message(reader, owner, reader, elements);
    reach_ = std::max(reach_, owner ^ reader);
  }
  /// Records a value that VP `source` has pushed, as note_messages does. Requires: the machine
  /// traces.
  void note_push(std::size_t source, std::size_t destination) {
    recorder_->pushed(source, destination);
    reach_ = std::max(reach_, source ^ destination);
  }
  /// Null unless the machine traces.
  [[nodiscard]] cost_recorder* recorder() const noexcept { return recorder_; }
  [[nodiscard]] run_state& run() const noexcept { return run_; }
  [[nodiscard]] std::size_t index() const noexcept { return vps_.worker; }
  /// Attachment of a VP. Null until it is set; destroyed at the end of the run.
  [[nodiscard]] std::unique_ptr<attachment>& attached_to(std::size_t rank) {
    if (attachments_.empty()) attachments_.resize(vps_.ranks.size());
    return attachments_[rank - vps_.ranks.first];
  }
  /// Channels that the VPs of this worker have pushed to, and popped from, in this run.
  [[nodiscard]] used_channels& pushes() noexcept { return pushes_; }
  [[nodiscard]] used_channels& pops() noexcept { return pops_; }
  /// Loans of the VPs of this worker, in strict mode.
  [[nodiscard]] loans& lent() noexcept { return loans_; }

  // ------------------------------------------------ for the scheduler

  /// Runs a VP until it suspends. Returns how it stopped.
  vp_stop resume(vp_state& x) {
    if (watched_ && ++resumed_ % 16 == 0) [[unlikely]]
      run_.look();
    stop_ = {vp_stop::kind::ended, 0};
    x.resume_point.resume();
    if (stop_.how != vp_stop::kind::at_barrier) [[unlikely]]
      look_into(x);
    return stop_;
  }
  /// Releases `part`, this worker's part of a cluster, whose VPs have all come to its barrier or
  /// ended. Returns true if the cluster is inside the worker, so that its VPs can be run again. If
  /// other workers share the cluster, arrives at its barrier. `sent_from`: see mail::deliver.
  bool release(rank_range part, unsigned label, mail::mark sent_from);
  [[nodiscard]] const mail& messages() const noexcept { return mail_; }

  // ------------------------------------------------ for the machine's run and its diagnosis

  /// [label]: how often the cluster of VP 0 has passed its barrier. Requires that VP 0 was on this
  /// worker.
  [[nodiscard]] const auto& supersteps() const noexcept { return supersteps_; }
  /// Results of a worker that has stopped, for the caller of run, in one cache line.
  struct alignas(cache_line) result {
    mail::counts delivered;
    processor_times times;
    std::uint32_t timeline_lost = 0;
    bool sent_nothing = false;  // and received nothing
    bool has_attachments = false;
    std::uint8_t raised = 0;  // floating-point exceptions
  };
  static_assert(sizeof(result) == cache_line);
  [[nodiscard]] const result& of_run() const noexcept { return result_; }
  [[nodiscard]] std::vector<timeline_span> take_timeline() { return times_.take_timeline(); }
  [[nodiscard]] rank_range ranks() const noexcept { return vps_.ranks; }
  /// Label at which the program of a VP waits, or at_channel, or nowhere.
  [[nodiscard]] unsigned waits_at(std::size_t rank) const noexcept {
    return vps_.at(rank).waits_at;
  }
  [[nodiscard]] bool has_ended(std::size_t rank) const noexcept { return vps_.has_ended(rank); }
  [[nodiscard]] const channel_waits& waits() const noexcept { return waits_; }
  [[nodiscard]] channel_waits& waits() noexcept { return waits_; }
  /// Frees messages that were sent and never received, after a run, with all workers stopped. A
  /// failed run may have left more than the result reports.
  void discard_messages(bool failed) noexcept;
  /// Returns the first error of an attachment of a VP, or null. Requires that all workers have
  /// stopped.
  [[nodiscard]] std::exception_ptr left_over() const noexcept;
  void drop_attachments() noexcept {
    if (result_.has_attachments) attachments_.clear();
  }
  /// Pages of the memory that this worker keeps: virtual processors, their frames, messages.
  /// Throws: environment_error, as memory_of does.
  [[nodiscard]] page_counts pages() const;
  void release_memory() noexcept;

 private:
  friend class vp_host;

  // worker.cpp: the life of a run
  void prepare(const run_state::order& run);
  void create_vps(const program_ref& program);
  void go_on_until_done();
  /// Waits, after a failure, for the other workers: no VP is unwound while another still runs,
  /// which may read memory that was lent to it.
  void await_others();
  void unwind() noexcept;
  void destroy_chain(std::coroutine_handle<> innermost) noexcept;

  // worker.cpp: the end of a VP
  /// Handles a VP that was resumed and waits at no barrier: it has ended, or waits at a channel.
  void look_into(vp_state& x);
  void retire(vp_state& x);
  void fail(std::size_t rank, std::exception_ptr cause) noexcept;

  // synchronising.cpp: barriers and channels
  /// Finds a barrier that has been passed, or a channel that is ready, and runs the VPs that waited
  /// for it. Returns false if there is none.
  bool act();
  void arrive(membership& p);
  void report_costs(const membership& p, bool leaves);
  void released(membership& p);
  [[nodiscard]] bool pass_solo(unsigned label);
  /// Ends the run, because the running VP cannot pass its barrier; the VP suspends. Returns false.
  bool end_run_at_sync(std::exception_ptr cause) noexcept;
  void free_spent() noexcept;
  void reset_quick_labels() noexcept;

  run_state& run_;
  unsigned solo_labels_ = 0;  // as quick_labels_, for a worker with a single VP
  // [label]: the worker's part in the cluster, null if no other worker has one. A copy of the
  // results of memberships::find, because between a barrier and the next announcement each load
  // costs time.
  std::array<membership*, most_labels> solo_at_{};
  bool solo_ = false;
  bool watched_ = false;   // by the thread that called run, of worker 0
  unsigned resumed_ = 0;   // VPs, in a watched run
  std::size_t reach_ = 0;  // strict mode: the widest source ^ destination in the superstep so far
  spent_memory spent_;     // memory of the running VP

  mail mail_{vps_, messages_, waits_, times_};
  scheduler scheduler_{vps_, *this};
  channel_waits waits_;
  time_account times_;
  shared_barriers barriers_{run_, vps_};
  idle_loop idle_loop_{run_, vps_, barriers_, waits_, times_};
  other_processes* others_ = nullptr;  // set for worker 0, which serves them
  loans loans_;
  used_channels pushes_, pops_;
  std::vector<std::unique_ptr<attachment>> attachments_;  // [rank − ranks.first], or empty
  std::array<std::uint64_t, most_labels> supersteps_{};

  execution execution_;
  std::byte* vp_memory_ = nullptr;
  std::size_t vp_memory_bytes_ = 0;
  result result_;
};

/// Worker that carries out the VP.
[[nodiscard]] inline worker& worker_of(const vp_state& x) noexcept {
  return static_cast<worker&>(*x.on);
}

}  // namespace pleat::detail
