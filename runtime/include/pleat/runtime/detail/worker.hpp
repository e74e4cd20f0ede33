// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/channel_wait.hpp>
#include <pleat/runtime/detail/cost_recorder.hpp>
#include <pleat/runtime/detail/crew.hpp>
#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/detail/loans.hpp>
#include <pleat/runtime/detail/local_vps.hpp>
#include <pleat/runtime/detail/mail.hpp>
#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/detail/relay_state.hpp>
#include <pleat/runtime/detail/time_account.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// Added to a label: the worker's part in that barrier has been announced already.
inline constexpr unsigned announced = 128;
/// Added to a label: what was sent goes through the ascend-descend protocol first.
inline constexpr unsigned to_be_routed = 256;

/// Carries out one range of virtual processors.
///
/// It resumes them in the order of their ranks, each until its next sync. When the last VP of a
/// cluster that lies inside the range has come to that cluster's barrier, the cluster goes on at
/// once, before any VP behind it: depth-first. Where a cluster spans several workers they meet at
/// its gate; when nothing can be run the worker looks at its gates and channels.
///
/// Thread safety: one thread; when nobody will go on, `diagnose` reads everything.
class alignas(destructive_distance) worker {
 public:
  worker(crew& all, std::size_t index);
  ~worker();
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// The whole run of this worker, on the calling thread. Never throws: failures poison the crew.
  void work() noexcept;

  // ------------------------------------------------ for vp: the hot paths

  [[nodiscard]] outbox& outbox_for(std::size_t rank) noexcept { return mail_.outbox_for(rank); }
  /// Syncs with a label below this need nothing but suspension: all labels in the usual case, none
  /// when the worker has a single VP, is strict, or has memory to free.
  [[nodiscard]] unsigned quick_labels() const noexcept { return quick_labels_; }
  /// The running VP suspends at a barrier.
  void suspended_at_label(unsigned label) noexcept { outcome_ = label + announced_; }
  /// The running VP suspends at a channel.
  void suspended_at_channel(channel_wait wait);
  /// The running VP has failed, and suspends to be unwound when all workers have stopped.
  void suspended_for_ever(std::size_t rank, std::exception_ptr cause) noexcept;
  /// A sync that is not quick. Returns true if the barrier has been passed already, false if the VP
  /// must suspend. Throws: usage_error, out_of_cluster, lent_memory_modified.
  /// Anything else that goes wrong, for want of memory, ends the run: a barrier that others may
  /// have passed is not to be tried again by a program that catches it.
  [[nodiscard]] bool enter_sync(std::size_t rank, unsigned label);
  [[nodiscard]] bool solo() const noexcept { return vps_.ranks.size() == 1; }
  [[nodiscard]] bool strict() const noexcept { return strict_; }
  /// Somebody wants to know of every message: strict mode, or a routing policy.
  [[nodiscard]] bool watches() const noexcept { return watches_; }
  /// VP `source` sends `messages` messages of the model to `destination`, as one record with a
  /// payload of `bytes`. Returns where it goes and has room. If it throws, nothing is noted.
  [[nodiscard]] outbox& watched_outbox(std::size_t source, std::size_t destination,
                                       std::size_t messages, std::size_t bytes);
  /// Strict mode: that VP `source` has sent, for the superstep's check and the costs.
  void note_messages(std::size_t source, std::size_t destination, std::size_t messages) {
    if (recorder_ != nullptr) recorder_->message(source, destination, messages);
    if ((source ^ destination) > (source ^ farthest_)) farthest_ = destination;
  }
  /// Null unless the machine traces.
  [[nodiscard]] const cost_recorder* recorder() const noexcept { return recorder_; }
  [[nodiscard]] crew& all() const noexcept { return crew_; }
  [[nodiscard]] std::size_t index() const noexcept { return vps_.worker; }
  [[nodiscard]] std::size_t vps() const noexcept { return vps_.v; }
  [[nodiscard]] unsigned labels() const noexcept { return vps_.labels; }

  /// Memory that was received: to be freed when the running VP comes to its next sync.
  [[gnu::cold]] void spend(void* memory);
  /// The next two calls of spend do not throw: a message may need both, and is taken with both or
  /// not at all.
  [[gnu::cold]] void make_room_to_spend();
  /// A record of an inbox was taken for the last time.
  void consumed(record* r) {
    if (r->home == rescued)
      spend(r);
    else
      mail_.taken(*r);
  }
  /// What is kept with a VP. Null until somebody sets it; gone at the run's end.
  [[nodiscard]] std::unique_ptr<attachment>& attached_to(std::size_t rank) {
    if (attachments_.empty()) attachments_.resize(vps_.ranks.size());
    return attachments_[rank - vps_.ranks.first];
  }
  void drop_attachments() noexcept { attachments_.clear(); }
  /// Poisons the crew with the first complaint of what is kept with the VPs. All workers have
  /// stopped.
  void look_for_left_overs() noexcept;
  /// In strict mode: what is lent by the VPs of this worker.
  [[nodiscard]] loans& lent() noexcept { return loans_; }

  // ------------------------------------------------ for crew, diagnosis and report

  /// [label]: supersteps of the 0-th VP's clusters.
  [[nodiscard]] const auto& supersteps() const noexcept { return supersteps_; }
  [[nodiscard]] const mail::counts& delivered() const noexcept { return mail_.delivered(); }
  [[nodiscard]] time_account& times() noexcept { return times_; }
  [[nodiscard]] rank_range ranks() const noexcept { return vps_.ranks; }
  /// The label that the program of a VP waits at, or at_channel, or nowhere.
  [[nodiscard]] unsigned waits_at(std::size_t rank) const noexcept;
  [[nodiscard]] bool has_ended(std::size_t rank) const noexcept { return vps_.has_ended(rank); }
  [[nodiscard]] const channel_waits& waits() const noexcept { return waits_; }
  /// After a run, with all workers stopped: frees what was sent and never received.
  void discard_messages() noexcept;
  void release_memory() noexcept;

 private:
  /// Consecutive VPs, up to the one just run, that all wait at `label` or have ended.
  struct stretch {
    unsigned label;
    std::size_t start;
    std::size_t end_of_part;  // where the worker's part of the label's cluster ends
    mail::mark sent_from;     // before the first of them ran
  };

  // worker.cpp: life of a run
  void prepare();
  void create_vps();
  void go_on_until_done();
  /// After a failure: nobody is unwound while another still runs, who may read what was lent to it.
  void await_others();
  void unwind() noexcept;
  void destroy_chain(std::coroutine_handle<> innermost) noexcept;
  void retire(vp_state& x, std::size_t rank);
  void leave(membership& p);
  void fail(std::size_t rank, std::exception_ptr cause) noexcept;

  // scan.cpp: which VP runs next
  void scan(std::size_t first, std::size_t last);
  void run_one(std::size_t rank, std::size_t farthest);
  unsigned resume(vp_state& x, std::size_t rank, std::size_t farthest);
  /// The VP just resumed waits at no label: it has ended, waits at a channel, or is to be routed.
  void look_into(vp_state& x, std::size_t rank);
  [[nodiscard]] bool all_wait_at(rank_range ranks, unsigned label) const noexcept;
  /// All VPs of `ranks`, this worker's part of a cluster, wait at `label`: releases the cluster if
  /// it is local (returns true: run them again) or announces the part at the meeting.
  bool complete(rank_range ranks, unsigned label, mail::mark sent_from);
  void look_around(std::size_t rank);
  void prefetch(std::size_t rank) const noexcept;

  void free_spent() noexcept;
  void reset_quick_labels() noexcept;
  [[nodiscard]] bool pass_solo(std::size_t rank, unsigned label);
  /// The running VP has come to a barrier it cannot pass; it is to suspend. Returns false.
  bool end_run_at_sync(std::exception_ptr cause) noexcept;

  // waiting.cpp: when nothing can be run
  bool act();  // takes one event and acts on it; false if there was none
  std::uint64_t news_of(membership& p) noexcept;
  [[nodiscard]] bool look_at(membership& p) noexcept;
  [[nodiscard]] bool something_ready() noexcept;
  [[nodiscard]] bool may_leave() noexcept;
  void wait_for_event();
  /// The label of a barrier this worker waits at; labels() if it waits at channels only.
  [[nodiscard]] unsigned label_waited_at() const noexcept;
  void wait_idle();
  void wake_members(const shared_cluster& m) noexcept;

  // ascend_descend.cpp: messages that do not travel directly
  [[nodiscard]] relay_state& relay_of(std::size_t rank) noexcept;
  void begin_journey(vp_state& x, unsigned label);
  /// The i-superstep that `me` has come to the end of. Never throws: poisons the crew.
  task<> ascend_descend(vp& me);
  task<> routed_superstep(vp& me, unsigned label);
  /// Adds up over the k-cluster. Cost: 2(L − k) supersteps of constant degree.
  task<prefix_tallies> tally(vp& me, unsigned k, tallies mine);
  /// One k-superstep: what rests here goes where `next` says, and what arrives rests here.
  template <class Next> task<> move_packets(vp& me, unsigned k, Next next);
  [[nodiscard]] task<> ascend(vp& me, unsigned k);
  /// Of a superstep that the program ended with sync(label).
  [[nodiscard]] task<> descend(vp& me, unsigned k, unsigned label);
  void set_out(vp& me, unsigned label);
  void arrive(vp& me, std::size_t messages_before);
  void send_directly(relay_state& j);
  void end_journey(relay_state& j) noexcept;
  void forward(const vp& me, std::size_t to, record_kind kind, const auto& content,
               std::uint64_t messages);
  template <class Take> void take_out(vp& me, record_kind kind, Take take);

  // meetings
  void announce(membership& p);
  void released(membership& p);

  crew& crew_;
  local_vps vps_;
  channel_waits waits_;
  time_account times_;
  mail mail_{vps_, waits_, times_};
  bool strict_ = false;
  bool routes_packets_ = false;  // routing::ascend_descend
  bool watches_ = false;
  cost_recorder* recorder_ = nullptr;
  unsigned outcome_ = finished;  // how the VP that was resumed gave control back
  unsigned announced_ = 0;       // `announced` while a solo VP's barrier is under way
  unsigned quick_labels_ = 0;
  unsigned solo_labels_ = 0;  // the same for a worker with a single VP, which need not suspend
  bool passed_on_ = false;    // a look at a gate gave others news since this was last reset
  std::size_t farthest_ = 0;  // strict mode: where the running VP has sent
  spent_memory spent_;        // of the running VP
  loans loans_;
  std::vector<std::unique_ptr<attachment>> attachments_;  // [rank − ranks.first], or none at all
  std::vector<relay_state> relays_;  // [rank − ranks.first]; empty if messages travel directly
  std::array<std::uint64_t, most_labels> supersteps_{};

  execution execution_;
  std::byte* vp_memory_ = nullptr;
  std::size_t vp_memory_bytes_ = 0;
};

}  // namespace pleat::detail
