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

/// Messages to the virtual processors of one worker of another process, packed as wire.hpp has it.
struct remote_mail {
  std::size_t worker = 0;  // among those of all processes
  byte_buffer packed;
  std::vector<link::enclosure> beside;
  void clear() noexcept {
    packed.clear();
    beside.clear();
  }
};
/// Mail of one member of a cluster to several workers. Memory that was not sent away is used again.
class remote_mails {
 public:
  /// Returns an empty remote_mail, which is among all() from `add` on. Throws: std::bad_alloc.
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
  byte_buffer* beside;  // the first of those that belong to it
};

/// Messages that virtual processors which ended left for others of another process; see leftover.
struct remote_leftover {
  struct last_arrival {
    std::uint32_t label;
    std::uint32_t first;  // of the cluster's VPs
    std::uint64_t epoch;
  };
  remote_mail mail;
  std::vector<last_arrival> last_arrivals;
};

/// Part of other processes in a cluster, and the mail that goes to them and comes from them at its
/// barrier. The workers of this process meet as usual. When the last of them
/// has arrived, worker 0 sends what they have packed; when every other process has sent its own,
/// worker 0 puts that into their inboxes and arrives for all other processes.
///
/// So a worker fills its `out` before it arrives, and worker 0 empties it before anybody passes;
/// worker 0 fills an `in` before it arrives, and the worker empties it before it arrives again, so
/// that the memory to which it points can be used again when all have.
struct crossing final : remote_part {
  /// `first`, `last`: the workers of all processes that have a part; `members`: of this process.
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

  leftovers<remote_leftover>& left_for_others;  // by all workers, for worker 0 to send

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
  std::vector<link::arrival> holders;  // of what is in `in`: worker 0's

  /// Values that the processes of a sparse barrier combine over all of them.
  struct round_values {
    std::uint64_t widest = 0;   // most processes that one of them has mail for
    std::uint64_t leaving = 0;  // one of them has left: not 0
    void add(const round_values& theirs) noexcept {
      widest = std::max(widest, theirs.widest);
      leaving |= theirs.leaving;
    }
  };

  // Worker 0's alone. Epochs count from 1 in each run.
  struct other {
    static constexpr std::uint64_t never_again = ~std::uint64_t{0};
    std::uint64_t arrived = 0;            // at so many epochs; at all of them when it has left
    std::uint64_t left_at = never_again;  // the first epoch at which it is not
    std::vector<link::arrival> sent;      // of the epochs behind `passed`: two at most
  };
  /// A barrier by rounds: in round k process i receives from process i − 2^k, counted in the
  /// cluster.
  struct sparse_barrier {
    bool next = false;               // the epoch to come, or under way, has one
    bool begun = false;              // our own mail has been taken, and round 0 is sent
    bool stays = false;              // another process has left: never again
    std::uint64_t on_their_way = 0;  // of our mail
    unsigned round = 0;              // the one we wait for
    round_values values;             // what we know of the epoch
    std::vector<std::deque<round_values>> received;  // [round], of the epochs behind `passed`
  };
  std::vector<other> others;  // [process − first_process]; that of this process is not used
  sparse_barrier sparse;
  std::uint64_t entered = 0;  // this process has sent what belongs to so many epochs
  std::uint64_t passed = 0;   // and has packets of all others of so many
  bool left = false;          // all of its virtual processors in the cluster have ended
};

/// Returns the crossing of a cluster. Requires: the cluster crosses processes.
[[nodiscard]] inline crossing& crossing_of(const shared_cluster& m) noexcept {
  return static_cast<crossing&>(*m.beyond);
}

}  // namespace pleat::detail
