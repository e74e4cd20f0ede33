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
#include <pleat/channels/channel.hpp>
#include <pleat/channels/line_ring.hpp>
#include <pleat/channels/slot.hpp>
#include <pleat/runtime/detail/cost_recorder.hpp>
#include <pleat/runtime/detail/crew.hpp>
#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/detail/inbox_pools.hpp>
#include <pleat/runtime/detail/journey.hpp>
#include <pleat/runtime/detail/loans.hpp>
#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/detail/run_plan.hpp>
#include <pleat/runtime/detail/time_account.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// How a virtual processor gave control back: the label it waits at, or one of these.
inline constexpr unsigned finished = 64;  // its program has come to its end
inline constexpr unsigned at_channel = 65;
inline constexpr unsigned nowhere = 66;  // (vp::waits_at_) it has not waited yet
/// (vp::waits_at_) a label this large or larger, which no machine has.
inline constexpr unsigned large_label = 64;
/// Added to a label: the worker's part in that barrier has been announced already.
inline constexpr unsigned announced = 128;
/// Added to a label: what was sent goes through the ascend-descend protocol first.
inline constexpr unsigned to_be_routed = 256;

/// What a virtual processor waits for at a channel.
enum class channel_event : std::uint8_t {
  room,     ///< to push
  value,    ///< to pop
  drained,  ///< the other end is done with everything pushed
};

[[nodiscard]] inline bool happened(channel_event event, const channel<slot>& at) noexcept {
  switch (event) {
    case channel_event::room:
      return at.room() != 0;
    case channel_event::value:
      return at.size() != 0;
    case channel_event::drained:
      break;
  }
  return at.drained();
}
[[nodiscard]] inline bool happened(channel_event event, const line_ring& at) noexcept {
  switch (event) {
    case channel_event::room:
      return at.room();
    case channel_event::value:
      return at.ready();
    case channel_event::drained:
      break;
  }
  return at.drained();
}

/// An event at a channel of some kind.
struct awaited {
  channel_event event;
  const void* at;
  bool (*has_happened)(channel_event event, const void* at);

  [[nodiscard]] bool operator()() const { return has_happened(event, at); }
};
template <class Channel>
[[nodiscard]] awaited awaited_at(channel_event event, const Channel& at) noexcept {
  return {event, &at, [](channel_event what, const void* where) {
            return happened(what, *static_cast<const Channel*>(where));
          }};
}

/// The messages from one worker to another that no barrier has taken along yet.
struct alignas(destructive_distance) route {
  outbox filling;

  /// What VPs that ended left behind when no other VP of theirs will come to the barrier that
  /// delivers it. The receiver collects it at the next barrier that the ended ones did not take
  /// part in any more: of each meeting, one behind the epoch given.
  struct legacy {
    struct last_arrival {
      const meeting* where;
      std::uint64_t epoch;
    };
    outbox messages;
    std::vector<last_arrival> last_arrivals;
  };
  struct alignas(cache_line) legacy_box {
    std::atomic<bool> full{false};
    std::mutex mutex;
    std::vector<legacy> content;
  };
  legacy_box left;
};

/// Memory that a virtual processor has received messages in: it may read it until its next sync.
struct spent_memory {
  std::vector<void*> blocks;
  std::vector<std::shared_ptr<byte_buffer>> pools;  // filled anew while the VP waited at a channel

  [[nodiscard]] bool empty() const noexcept { return blocks.empty() && pools.empty(); }
  void release() noexcept;
};

/// A virtual processor that waits at a channel.
struct channel_wait {
  std::size_t rank;
  std::size_t peer;  // the VP at the other end
  awaited what;
  std::string_view operation;  // a library's, in which it waits; may be empty
  spent_memory spent;
  std::size_t farthest = 0;  // strict mode: where it has sent in this superstep

  [[nodiscard]] bool ready() const { return what(); }
};

/// Carries out one range of virtual processors.
///
/// It resumes them in the order of their ranks, each until its next sync. When the last VP of a
/// cluster that lies inside the range has come to that cluster's barrier, the cluster goes on at
/// once, before any VP behind it: depth-first. Where a cluster spans several workers they meet at
/// its gate; when nothing can be run the worker looks at its gates and channels.
///
/// Thread safety: one thread; other workers read `routes_` of finished supersteps, and, when nobody
/// will go on, `diagnose` reads everything.
class alignas(destructive_distance) worker {
 public:
  worker(crew& all, std::size_t index);
  ~worker();
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// The whole run of this worker, on the calling thread. Never throws: failures poison the crew.
  void work() noexcept;

  // ------------------------------------------------ for vp: the hot paths

  [[nodiscard]] outbox& outbox_for(std::size_t rank) noexcept {
    if (ranks_.contains(rank)) return own_;
    return routes_[crew_.plan->folding.owner(rank)].filling;
  }
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
  [[nodiscard]] bool solo() const noexcept { return ranks_.size() == 1; }
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
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] std::size_t vps() const noexcept { return v_; }
  [[nodiscard]] unsigned labels() const noexcept { return labels_; }

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
      --pools_[r->home].unreceived;
  }
  /// What is kept with a VP. Null until somebody sets it; gone at the run's end.
  [[nodiscard]] std::unique_ptr<attachment>& attached_to(std::size_t rank) {
    if (attachments_.empty()) attachments_.resize(ranks_.size());
    return attachments_[rank - ranks_.first];
  }
  void drop_attachments() noexcept { attachments_.clear(); }
  /// Poisons the crew with the first complaint of what is kept with the VPs. All workers have
  /// stopped.
  void look_for_left_overs() noexcept;
  /// In strict mode: what is lent by the VPs of this worker.
  [[nodiscard]] loans& lent() noexcept { return loans_; }

  // ------------------------------------------------ for crew, diagnosis and report

  struct counts {
    std::array<std::uint64_t, most_labels> supersteps{};
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] const counts& counted() const noexcept { return counts_; }
  [[nodiscard]] time_account& times() noexcept { return times_; }
  [[nodiscard]] rank_range ranks() const noexcept { return ranks_; }
  [[nodiscard]] const vp& at(std::size_t rank) const noexcept;
  [[nodiscard]] vp& at(std::size_t rank) noexcept;
  /// The label that the program of a VP waits at, or at_channel, or nowhere.
  [[nodiscard]] unsigned waits_at(std::size_t rank) const noexcept;
  [[nodiscard]] bool has_ended(std::size_t rank) const noexcept;
  [[nodiscard]] const std::vector<channel_wait>& channel_waits() const { return channel_waits_; }
  /// After a run, with all workers stopped: frees what was sent and never received.
  void discard_messages() noexcept;
  void release_memory() noexcept;

 private:
  /// Consecutive VPs, up to the one just run, that all wait at `label` or have ended.
  struct stretch {
    unsigned label;
    std::size_t start;
    std::size_t end_of_part;  // where the worker's part of the label's cluster ends
    std::size_t sent_from;    // position in own_ before the first of them ran
    std::uint32_t own_moves;  // own_moves_ at that time: else the position is void
  };

  // worker.cpp: life of a run
  void prepare();
  void create_vps();
  void go_on_until_done();
  /// After a failure: nobody is unwound while another still runs, who may read what was lent to it.
  void await_others();
  void unwind() noexcept;
  void destroy_chain(std::coroutine_handle<> innermost) noexcept;
  void retire(vp& x, std::size_t rank);
  void leave(part& p);
  void fail(std::size_t rank, std::exception_ptr cause) noexcept;

  // scan.cpp: which VP runs next
  void scan(std::size_t first, std::size_t last);
  void run_one(std::size_t rank, std::size_t farthest);
  unsigned resume(vp& x, std::size_t rank, std::size_t farthest);
  /// The VP just resumed waits at no label: it has ended, waits at a channel, or is to be routed.
  void look_into(vp& x, std::size_t rank);
  [[nodiscard]] rank_range part_of(std::size_t rank, unsigned label) const noexcept;
  [[nodiscard]] part* part_in_meeting(std::size_t rank, unsigned label) noexcept;
  [[nodiscard]] bool all_wait_at(rank_range ranks, unsigned label) const noexcept;
  /// All VPs of `ranks`, this worker's part of a cluster, wait at `label`: releases the cluster if
  /// it is local (returns true: run them again) or announces the part at the meeting.
  bool complete(rank_range ranks, unsigned label, std::size_t sent_from);
  void look_around(std::size_t rank);
  void prefetch(std::size_t rank) const noexcept;

  void free_spent() noexcept;
  void reset_quick_labels() noexcept;
  [[nodiscard]] bool pass_solo(std::size_t rank, unsigned label);
  /// The running VP has come to a barrier it cannot pass; it is to suspend. Returns false.
  bool end_run_at_sync(std::exception_ptr cause) noexcept;

  // waiting.cpp: when nothing can be run
  bool act();  // takes one event and acts on it; false if there was none
  std::uint64_t news_of(part& p) noexcept;
  [[nodiscard]] bool look_at(part& p) noexcept;
  [[nodiscard]] bool something_ready() noexcept;
  [[nodiscard]] bool may_leave() noexcept;
  void wait_for_event();
  /// The label of a barrier this worker waits at; labels() if it waits at channels only.
  [[nodiscard]] unsigned label_waited_at() const noexcept;
  void wait_idle();
  void wake_members(const meeting& m) noexcept;

  // delivery.cpp: messages at a barrier
  void pack(const part& p, std::size_t to);
  /// Hands the messages that a barrier of `label` makes available to this worker's `receivers`.
  /// `own_from`: where in own_ the messages of these VPs begin, if no older ones are left.
  /// `p`: the part in the meeting, null if the cluster is local.
  void deliver(unsigned label, rank_range receivers, std::size_t own_from, const part* p);
  void bequeath(std::size_t to, unsigned label);
  void inherit(route::legacy_box& from, const part& p);
  void gather_parcels(const part& p);
  void gather_own(inbox_pool& pool, unsigned label, rank_range receivers, std::size_t from,
                  bool only_theirs);
  [[nodiscard]] std::uint64_t first_destination() noexcept;
  void hand_over(inbox_pool& pool, unsigned label, std::byte* first, std::byte* last);
  /// The same where receivers may have ended, whose messages are dropped; and in strict mode. An
  /// error if a destination is not among the barrier's receivers.
  void hand_over_checked(inbox_pool& pool, unsigned label, std::byte* first, std::byte* last);
  static void insert(record& last, record& r);
  void recycle(inbox_pool& pool, unsigned label);
  /// VPs that wait at channels may be reading what they took out of the pool: it is theirs now.
  void leave_to_readers(inbox_pool& pool);
  void rescue(rank_range receivers, unsigned label);
  void discard_inbox(vp& x) noexcept;

  // ascend_descend.cpp: messages that do not travel directly
  [[nodiscard]] journey& journey_of(const vp& x) noexcept;
  void begin_journey(vp& x, unsigned label);
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
  void send_directly(vp& x);
  void end_journey(journey& j) noexcept;
  void forward(const vp& me, std::size_t to, record_kind kind, const auto& content,
               std::uint64_t messages);
  template <class Take> void take_out(vp& me, record_kind kind, Take take);

  // meetings
  void announce(part& p);
  void released(part& p);

  crew& crew_;
  const std::size_t index_;

  rank_range ranks_;
  std::size_t v_ = 0;
  unsigned labels_ = 1;
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
  vp* vps_ = nullptr;         // of rank ranks_.first
  std::size_t live_ = 0;
  run_plan::share* share_ = nullptr;

  outbox own_;
  bool own_leftover_ = false;    // own_ has messages that an earlier barrier did not deliver
  std::uint32_t own_moves_ = 0;  // how often records were taken out in front of a stretch's
  std::vector<route> routes_;    // [destination worker]
  inbox_pools pools_;
  struct arrival {
    parcel* from;
    std::size_t at;   // where in the pool it was copied to
    bool before_own;  // it comes from a worker with lower ranks
  };
  std::vector<arrival> arrivals_;  // the parcels of the barrier being delivered
  std::uint32_t stamp_ = 0;
  spent_memory spent_;  // of the running VP
  std::vector<channel_wait> channel_waits_;
  std::size_t next_wait_ = 0;  // where in them to look first: in turn, or many would cost a square
  loans loans_;
  std::vector<std::unique_ptr<attachment>> attachments_;  // [rank − ranks_.first], or none at all
  std::vector<journey> journeys_;  // [rank − ranks_.first]; empty if messages travel directly
  counts counts_;
  time_account times_;

  execution execution_;
  std::byte* vp_memory_ = nullptr;
  std::size_t vp_memory_bytes_ = 0;
};

}  // namespace pleat::detail
