// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <pleat/channels/slot.hpp>
#include <pleat/runtime/detail/byte_buffer.hpp>
#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/detail/vp_host.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>

#include "costs/time_account.hpp"
#include "mail/channel_wait.hpp"
#include "mail/mailboxes.hpp"
#include "mail/run_plan.hpp"

namespace pleat::detail {

/// Loans of strict mode: memory that was lent read-only, and its contents when the loan began.
///
/// A loan begins at the owner's first sync that joins owner and borrower and ends at their next
/// one. In between the memory must not change. Cost: one pass over the memory at each of the two.
class loans {
 public:
  void lend(std::size_t borrower, const lent_block& block) {
    if (block.writable) return;  // the borrower may write to it: no check is possible
    open_.emplace(block.owner, loan{borrower, block, false, 0});
  }
  /// Begins and ends loans of the owner before it performs sync(label) in M(v). Throws
  /// lent_memory_modified.
  void at_sync(std::size_t v, std::size_t owner, unsigned label) {
    auto [it, last] = open_.equal_range(owner);
    while (it != last) {
      loan& l = it->second;
      if (label > shared_bits(v, owner, l.borrower)) {  // this barrier does not join the two
        ++it;
      } else if (!l.begun) {
        l.begun = true;
        l.digest = digest(l.block);
        ++it;
      } else {
        if (digest(l.block) != l.digest) throw lent_memory_modified(owner, l.borrower);
        it = open_.erase(it);
      }
    }
  }
  void clear() noexcept { open_.clear(); }

 private:
  struct loan {
    std::size_t borrower;
    lent_block block;
    bool begun;
    std::uint64_t digest;
  };
  static std::uint64_t digest(const lent_block& block) {
    std::uint64_t sum = 0x9e3779b97f4a7c15;
    for (std::size_t row = 0; row < block.rows; ++row) {
      const auto* first =
          static_cast<const char*>(block.data) + row * block.stride * block.element_size;
      const std::string_view bytes(first, block.columns * block.element_size);
      sum = (sum << 7 | sum >> 57) ^ std::hash<std::string_view>{}(bytes);
    }
    return sum;
  }

  std::unordered_multimap<std::size_t, loan> open_;  // by owner
};

/// Memory for the records of delivered messages, by the label of the barrier that delivered them.
///
/// A worker runs depth-first: when a cluster of some label is released, every VP that got messages
/// at the previous release of that label has come to its next sync, so the pool of the label can be
/// refilled. A VP that waits at a channel is an exception: it keeps the old memory until its sync.
struct inbox_pool {
  byte_buffer records;
  rank_range receivers;  // VPs whose inboxes may point into it

  void clear() noexcept {
    records.clear();
    receivers = {};
  }
};

using inbox_pools = std::array<inbox_pool, most_labels>;

/// Messages of one worker's virtual processors, from the send to the inbox.
///
/// A message is written to the outbox of its destination worker. When the VPs have come to a
/// barrier, the messages that it delivers leave the outboxes: those to VPs of this worker move to
/// an inbox pool; those to another worker move to a mailbox, out of which that worker copies them
/// once it has passed the barrier. A message that the barrier does not deliver stays in its outbox.
///
/// Thread safety: one thread. Other workers access only mailboxes and leftovers.
class mail {
 public:
  mail(const local_vps& vps, vp_messages& messages, channel_waits& waits,
       time_account& times) noexcept
      : vps_(vps),
        inside_(messages.inside),
        outside_(messages.outside),
        unreceived_(messages.unreceived),
        waits_(waits),
        times_(times) {}

  /// Begins a run; `vps` are known, but not yet made. Strict: destinations are checked.
  void start(bool strict);

  /// Position in the stream of inside_, behind earlier messages; invalid (`{}`) once a record
  /// before it was removed. There are no initialisers, because arrays of marks stay uninitialised.
  struct mark {
    std::size_t position;
    std::uint64_t removals;
  };
  [[nodiscard]] mark now() const noexcept { return {inside_.position(), removals_}; }
  /// Marks the messages sent so far as part of no superstep: any barrier may deliver them.
  void set_aside() noexcept { leftover_ = !inside_.empty(); }

  /// Delivers messages to the inboxes of `receivers`, the only VPs in a barrier of `label` that has
  /// been passed. If `since` is valid, the receivers, and no other VPs, have run since that mark,
  /// in the order of their ranks.
  void deliver(unsigned label, rank_range receivers, mark since);
  /// Packs the messages that the barrier delivers to other workers into mailboxes, before the
  /// worker arrives at the barrier.
  void pack(const membership& p);
  /// Delivers messages of a barrier that has been passed to the inboxes.
  void deliver(const membership& p);
  /// Stores the messages that the barrier would have delivered to other workers in the leftovers,
  /// where these collect them. Called when all VPs of this worker in the cluster have ended.
  void leave_behind(const membership& p);

  struct counts {
    std::uint64_t messages = 0, bytes = 0;
  };
  /// Counts of messages delivered to the VPs of this worker.
  [[nodiscard]] const counts& delivered() const noexcept { return delivered_; }

  /// Tells whether nothing was sent in this run, so that there is nothing to discard.
  [[nodiscard]] bool idle() const noexcept {
    return !moved_ && inside_.empty() && std::ranges::all_of(outside_, &outbox::empty);
  }
  /// Frees messages that were sent and never received, after a run, with all workers stopped.
  void discard() noexcept;
  /// Calls `take` with each piece of memory that is kept for the next run.
  template <class Take> void for_each_memory(Take&& take) const {
    take(inside_.bytes().memory());
    for (const outbox& box : outside_) take(box.bytes().memory());
    for (const inbox_pool& pool : pools_) take(pool.records.memory());
  }
  /// Frees the memory that is kept for the next run.
  void release_memory() noexcept;

 private:
  struct arrival {
    mailbox* from;             // null: from this worker, or from other processes
    const std::byte* data;     // null: from this worker
    std::size_t first, bytes;  // place in the pool
  };

  // mail.cpp: messages that leave the worker
  [[nodiscard]] bool delivers_all(const outbox& from, unsigned label) const noexcept;
  /// Packs an outbox. Tells whether there was something to pack.
  bool pack(outbox& from, mailbox& to, unsigned label, std::uint64_t epoch);
  void collect_leftovers(leftovers<leftover>& from, const membership& p) {
    if (!from.empty()) [[unlikely]]
      collect_left(from, p);
  }
  void collect_left(leftovers<leftover>& from, const membership& p);

  // delivery.cpp: messages that arrive
  void take_own(inbox_pool& pool, unsigned label, rank_range receivers, std::size_t from,
                bool all_theirs, std::size_t more);
  void link(inbox_pool& pool, unsigned label, std::size_t first, std::size_t bytes);
  void link_records(unsigned label, std::byte* first, std::byte* last);
  [[nodiscard]] inbox_pool& emptied_pool(unsigned label);

  // messages that were delivered and not received, in delivery.cpp too
  void leave_to_readers(inbox_pool& pool);
  void rescue(rank_range receivers, unsigned label);
  void discard_inbox(vp_state& x) noexcept;  // mail.cpp

  const local_vps& vps_;
  outbox& inside_;                // to VPs of this worker
  std::vector<outbox>& outside_;  // to those of others: [destination worker]
  decltype(vp_messages::unreceived)& unreceived_;
  channel_waits& waits_;
  time_account& times_;
  bool strict_ = false;
  bool moved_ = false;  // something was put into a pool, a mailbox or a box of leftovers

  bool leftover_ = false;          // inside_ has messages that an earlier barrier did not deliver
  std::uint64_t removals_ = 1;     // number of removals of records before a mark, plus 1
  std::vector<arrival> arrivals_;  // of the current delivery, by the senders' ranks
  outbox before_, behind_;         // from processes before and behind this one
  inbox_pools pools_;
  std::uint32_t stamp_ = 0;  // stamp of the last delivery
  counts delivered_;
};

}  // namespace pleat::detail
