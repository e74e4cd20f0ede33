// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <pleat/runtime/detail/outbox.hpp>

#include "mail/leftovers.hpp"
#include "mail/process_layout.hpp"
#include "mail/remote_part.hpp"
#include "mail/run_plan.hpp"
#include "processes/link.hpp"

namespace pleat::detail {

/// Messages to the virtual processors of one worker of another process, packed as wire.hpp
/// describes.
struct remote_mail {
  std::size_t worker = 0;  // its number among the workers of all processes
  byte_buffer packed;
  std::vector<link::enclosure> beside;
  void clear() noexcept {
    packed.clear();
    beside.clear();
  }
};
/// Mail of one member of a cluster to several workers. Memory that was not sent is reused.
class remote_mails {
 public:
  /// Returns an empty remote_mail; `add` makes it a part of all(). Throws: std::bad_alloc.
  [[nodiscard]] remote_mail& spare() {
    if (used_ == mails_.size()) mails_.emplace_back();
    mails_[used_].clear();
    return mails_[used_];
  }
  void add() noexcept { ++used_; }
  [[nodiscard]] std::span<remote_mail> all() noexcept { return {mails_.data(), used_}; }
  [[nodiscard]] std::span<const remote_mail> all() const noexcept { return {mails_.data(), used_}; }
  void clear() noexcept {
    for (remote_mail& mail : all()) mail.clear();
    used_ = 0;
  }

 private:
  std::vector<remote_mail> mails_;
  std::size_t used_ = 0;
};
/// Messages to one worker of this process as they have come: a part of a packet.
struct arrived_mail {
  const std::byte* first;
  std::size_t bytes;
  byte_buffer* beside;  // the first buffer that belongs to them
};

/// Messages to another process that virtual processors which have ended have left; see leftover.
struct remote_leftover {
  struct last_arrival {
    std::uint32_t label;
    std::uint32_t first;  // first of the cluster's VPs
    std::uint64_t epoch;
  };
  remote_mail mail;
  std::vector<last_arrival> last_arrivals;
};

/// Part of other processes in a cluster, and the mail to and from them at its barrier. The workers
/// of this process meet as usual. When the last of them has arrived, worker 0 sends the mail that
/// they have packed. When the mail of every other process has arrived, worker 0 puts it into the
/// workers' inboxes and arrives for all other processes.
///
/// So a worker fills its `out` before it arrives, and worker 0 empties it before any worker passes.
/// Worker 0 fills an `in` before it arrives, and the worker empties it before it arrives again, so
/// that the memory to which `in` points can be reused when all workers have arrived.
struct crossing final : remote_part {
  /// `first`, `last`: range of the workers of all processes in the cluster; `members`: number of
  /// those of this process.
  crossing(std::size_t first, std::size_t last, const process_layout& layout, std::size_t members,
           leftovers<remote_leftover>& to_send)
      : first_worker(first),
        last_worker(last),
        first_process(layout.process_of(first)),
        last_process(layout.process_of(last - 1) + 1),
        here(layout.self()),
        left_for_others(to_send),
        out(members),
        in(members),
        others(last_process - first_process) {}

  void begin() override;
  bool pack(const membership& p, const local_vps& vps, std::vector<outbox>& from,
            time_account& times) override;
  bool leave_behind(const membership& p, const local_vps& vps, std::vector<outbox>& from) override;
  void unpack_before(std::size_t member, outbox& to) override;
  void unpack_behind(std::size_t member, outbox& to) override;

  std::size_t first_worker, last_worker;
  std::size_t first_process, last_process;  // last excluded
  std::size_t here;                         // this process

  leftovers<remote_leftover>& left_for_others;  // left by all workers, for worker 0 to send

  /// Mail from processes before this one, and behind it, in the order of the senders.
  struct inbox {
    std::vector<arrived_mail> before, behind;
    void clear() noexcept {
      before.clear();
      behind.clear();
    }
  };
  std::vector<remote_mails> out;       // [member]
  std::vector<inbox> in;               // [member]
  std::vector<link::arrival> holders;  // memory of the mail in `in`; used by worker 0 only

  /// Values that the processes of a sparse barrier combine.
  struct round_values {
    std::uint64_t widest = 0;   // greatest number of processes for which one has mail
    std::uint64_t leaving = 0;  // not 0: one of them has left
    void add(const round_values& theirs) noexcept {
      widest = std::max(widest, theirs.widest);
      leaving |= theirs.leaving;
    }
  };

  // The members below are used by worker 0 only. Epochs count from 1 in each run.
  struct other {
    static constexpr std::uint64_t never_again = ~std::uint64_t{0};
    std::uint64_t arrived = 0;            // number of epochs; all of them if it has left
    std::uint64_t left_at = never_again;  // the first epoch in which it has no part
    std::vector<link::arrival> sent;      // for epochs after `passed`: two at most
  };
  /// Barrier of rounds: in round k process i of the cluster receives from process i − 2^k.
  struct sparse_barrier {
    bool next = false;               // the next or current epoch has one
    bool begun = false;              // this process's mail has arrived, and round 0 is sent
    bool stays = false;              // another process has left: no sparse barrier again
    std::uint64_t on_their_way = 0;  // mail of this process in transit
    unsigned round = 0;              // the round that is awaited
    round_values values;             // values known of the epoch
    std::vector<std::deque<round_values>> received;  // [round], for epochs after `passed`
  };
  std::vector<other> others;  // [process − first_process]; the entry of this process is not used
  sparse_barrier sparse;
  std::uint64_t entered = 0;  // number of epochs whose mail this process has sent
  std::uint64_t passed = 0;   // number of epochs with packets from all others
  bool left = false;          // all of its virtual processors in the cluster have ended
};

/// Returns the crossing of a cluster. Requires: the cluster crosses processes.
[[nodiscard]] inline crossing& crossing_of(const shared_cluster& m) noexcept {
  return static_cast<crossing&>(*m.beyond);
}

}  // namespace pleat::detail
