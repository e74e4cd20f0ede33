// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat {
class machine;
}

namespace pleat::detail {

class vp_host;

/// Labels that sync may take: fewer than 2^32 virtual processors need no more.
inline constexpr unsigned most_labels = 32;

/// Reason why a virtual processor has returned control to its worker.
struct vp_stop {
  enum class kind : std::uint8_t {
    ended,       ///< its program has come to its end
    at_barrier,  ///< it waits at sync(label)
    arrived,     ///< the same, and the worker has announced its arrival at that barrier
    at_channel,
  };
  kind how;
  std::uint8_t label;
};

/// Values of vp_state::waits_at that are no label: a channel; no wait yet.
inline constexpr unsigned at_channel = most_labels, nowhere = most_labels + 1;

/// State of a virtual processor. The time of a superstep of many VPs depends on the memory it
/// accesses, so the state takes half a cache line and has no rarely used members.
struct vp_state {
  vp_state(vp_host& host, std::uint32_t r) noexcept : on(&host), rank(r) {}

  [[nodiscard]] bool ended() const noexcept { return resume_point == nullptr; }

  vp_host* on;
  std::coroutine_handle<> resume_point;  // the innermost coroutine, suspended; null: it has ended
  record* inbox = nullptr;               // the last record of a ring, whose `next` is the first
  std::uint32_t rank;
  std::uint32_t taken : 24 = 0;          // messages taken from the first record
  std::uint32_t waits_at : 8 = nowhere;  // the label of the last sync, or one of the above
};
static_assert(sizeof(vp_state) == 32);

struct memberships;
struct run_plan;

/// The virtual processors of one worker in a run: consecutive ranks, and the clusters that contain
/// them.
struct local_vps {
  std::size_t worker = 0;  // its index
  run_plan* plan = nullptr;
  const fold* folding = nullptr;    // the plan's
  memberships* clusters = nullptr;  // clusters that are shared with other workers
  rank_range ranks;
  std::size_t v = 0;  // of all workers together
  unsigned labels = 1;
  vp_state* first = nullptr;  // state of rank ranks.first; null before the VPs are made
  std::size_t live = 0;       // number of VPs that have not ended

  [[nodiscard]] vp_state& at(std::size_t rank) const noexcept { return first[rank - ranks.first]; }
  [[nodiscard]] bool has_ended(std::size_t rank) const noexcept { return at(rank).ended(); }
  /// VPs of this worker in the label-cluster of `rank`.
  [[nodiscard]] rank_range part_of_cluster(std::size_t rank, unsigned label) const noexcept {
    return intersect(cluster_of(v, rank, label), ranks);
  }
  /// Tells whether a barrier of `label` joins the sender and the receiver. Requires: `r` is not in
  /// an inbox yet, so that its destination is set.
  [[nodiscard]] bool delivers(const record& r, unsigned label) const noexcept {
    return static_cast<unsigned>(std::bit_width(r.source ^ r.destination)) <= labels - label;
  }
  [[nodiscard]] memberships& shared() const noexcept { return *clusters; }
};

class cost_recorder;

/// Outboxes of the virtual processors of a worker, which its mail empties, and the counts of
/// messages that they have not received.
struct vp_messages {
  outbox inside;                // to virtual processors of this worker
  std::vector<outbox> outside;  // [destination worker]
  // [label]: records that its barriers delivered and no VP has received yet
  std::array<std::uint64_t, most_labels> unreceived{};
};

/// Interface of a worker to its virtual processors: the outboxes for their messages, the steps of a
/// barrier, and functions that record why a virtual processor suspends. The only derived class is
/// worker, whose members users' programs do not see; no function is virtual.
///
/// Thread safety: one thread.
class PLEAT_API vp_host {
 public:
  vp_host(const vp_host&) = delete;
  vp_host& operator=(const vp_host&) = delete;

  [[nodiscard]] pleat::machine& machine() const noexcept { return machine_; }
  /// Number of virtual processors, v.
  [[nodiscard]] std::size_t vps() const noexcept { return vps_.v; }
  [[nodiscard]] unsigned labels() const noexcept { return vps_.labels; }

  // ---------------------------------------------------------------- messages

  [[nodiscard]] outbox& outbox_for(std::size_t rank) noexcept {
    if (vps_.ranks.contains(rank)) return messages_.inside;
    return messages_.outside[vps_.folding->owner(rank)];
  }
  [[nodiscard]] bool strict() const noexcept { return strict_; }
  /// Finds the outbox in strict mode: VP `source` sends `messages` messages of the model to
  /// `destination`, as one record with a payload of `bytes`. Returns the outbox, which has room for
  /// the record. If it throws, nothing is logged.
  [[nodiscard]] outbox& strict_outbox(std::size_t source, std::size_t destination,
                                      std::size_t messages, std::size_t bytes);
  /// Tells whether the machine traces.
  [[nodiscard]] bool counts() const noexcept { return recorder_ != nullptr; }

  /// Has received memory freed when the running VP comes to its next sync.
  [[gnu::cold]] void spend(void* memory);
  /// Makes room so that the next two calls of spend do not throw: a message may need two calls, and
  /// must be taken with both or not at all.
  [[gnu::cold]] void make_room_to_spend();
  /// Records that all messages of an inbox record have been taken.
  void consumed(record* r) {
    if (r->home == rescued)
      spend(r);
    else
      --messages_.unreceived[r->home];
  }

  // ---------------------------------------------------------------- barriers

  /// Number of labels whose sync only suspends the VP: all labels in the usual case; none if the
  /// worker has a single VP, is strict, or has memory to free.
  [[nodiscard]] unsigned quick_labels() const noexcept { return quick_labels_; }
  /// Performs a sync that is not quick. Returns true if the barrier has been passed already, false
  /// if the VP must suspend. Throws: usage_error, out_of_cluster, lent_memory_modified. A
  /// lack of memory ends the run instead: a program that caught it could try a barrier again that
  /// other VPs have passed.
  [[nodiscard]] bool enter_sync(std::size_t rank, unsigned label);
  /// Throws: usage_error, because M(v) has fewer labels.
  [[noreturn]] void no_such_label(std::size_t rank, unsigned label) const;
  /// Notes that the running VP suspends at a barrier.
  void suspended_at_label(unsigned label) noexcept {
    stop_ = {at_sync_, static_cast<std::uint8_t>(label)};
  }

  // ---------------------------------------------------------------- channels

  /// Tells whether the running VP has its processor to itself, and may watch a channel before it
  /// suspends.
  [[nodiscard]] bool spins_at_channels() const noexcept { return spins_at_channels_; }
  /// Tells whether the run has failed.
  [[nodiscard]] bool poisoned() const noexcept {
    return poisoned_.load(std::memory_order_seq_cst);  // as run_state::poisoned
  }

 protected:
  vp_host(pleat::machine& of, const std::atomic<bool>& poisoned) noexcept
      : machine_(of), poisoned_(poisoned) {}
  ~vp_host() = default;

  local_vps vps_;
  vp_stop stop_{};                                     // set by the VP that was resumed
  vp_stop::kind at_sync_ = vp_stop::kind::at_barrier;  // how a VP stops at a sync
  unsigned quick_labels_ = 0;
  bool strict_ = false;
  bool spins_at_channels_ = false;
  cost_recorder* recorder_ = nullptr;
  vp_messages messages_;

 private:
  pleat::machine& machine_;
  const std::atomic<bool>& poisoned_;
};

}  // namespace pleat::detail
