// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/runtime/detail/outbox.hpp>

#include "base/byte_stream.hpp"
#include "mail/mailboxes.hpp"
#include "mail/run_plan.hpp"
#include "processes/link.hpp"
#include "processes/wire.hpp"

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
  remote_mail mail;
  std::vector<last_arrival> last_arrivals;
};

/// Part of other processes in a cluster, and the mail to and from them at its barrier. The workers
/// of this process arrive as usual. When the last of them has arrived, worker 0 sends the mail that
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
  void unpack(std::size_t member, outbox& before, outbox& behind) override;

  std::size_t first_worker, last_worker;
  std::size_t first_process, last_process;  // last excluded
  std::size_t here;                         // this process
  /// Number of the mail from one process of the cluster to another, see index_rounds.
  [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const noexcept {
    return (to + others.size() - from) % others.size();
  }

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

  /// Values that the processes of a barrier combine.
  struct round_values {
    std::uint32_t bytes = 0;   // greatest size of all mail of one, or the most that fits
    std::uint16_t widest = 0;  // greatest number of processes for which one has mail, likewise
    std::uint8_t leaves = 0;   // not 0: one of them has left; in rounds only
    std::uint8_t stays = 0;    // not 0: one of them has not; in rounds only
    void add(const round_values& theirs) noexcept {
      widest = std::max(widest, theirs.widest);
      leaves |= theirs.leaves;
      stays |= theirs.stays;
      bytes = std::max(bytes, theirs.bytes);
    }
  };

  // The members below are used by worker 0 only. Epochs count from 1 in each run.
  struct other {
    static constexpr std::uint64_t never_again = ~std::uint64_t{0};
    std::uint64_t arrived = 0;            // number of epochs; all of them if it has left
    std::uint64_t left_at = never_again;  // the first epoch in which it has no part
    std::vector<link::arrival> sent;      // for epochs after `passed`: two at most
    std::vector<link::arrival> rounds;    // the same: rounds of its barriers, in order
  };
  /// Mail between two processes that is forwarded in rounds.
  struct forwarded {
    static constexpr std::uint32_t sent_straight = ~std::uint32_t{0};
    const std::byte* sections = nullptr;
    std::uint32_t bytes = 0;  // or sent_straight: this is the notice that it is sent beside them
  };
  /// Barrier in rounds, see index_exchange.cpp.
  struct round_barrier {
    std::size_t radix = 0;        // for the next or current epoch; 0: its barrier is dense
    bool stays_dense = false;     // a process has left: no rounds again
    std::size_t place = 0;        // of the round that is awaited; 0: no round has begun
    byte_buffer own;              // forwarded mail of this process
    std::vector<forwarded> mail;  // [number], see index_rounds
  };
  std::vector<other> others;  // [process − first_process]; the entry of this process is not used
  round_values values;        // values known of the epoch
  round_barrier rounds;
  std::uint64_t entered = 0;  // number of epochs whose mail this process has sent
  std::uint64_t passed = 0;   // number of epochs with packets from all others
  bool left = false;          // all of its virtual processors in the cluster have ended
};

/// Returns the crossing of a cluster. Requires: the cluster crosses processes.
[[nodiscard]] inline crossing& crossing_of(const shared_cluster& m) noexcept {
  return static_cast<crossing&>(*m.beyond);
}

struct run_state;

/// Barriers of clusters that lie on several processes, and the mail that goes with them
/// (ranks/README.md). At a *dense* barrier one message goes to each other process of the cluster;
/// *in rounds* short mail is forwarded by the index algorithm with some radix, and long mail goes
/// straight to its process, with a notice of it in the rounds. Each barrier tells all processes how
/// much mail a process has and for how many others, so that all make the same choice for the next
/// one. A process whose virtual processors in the cluster have all ended reports this once; from
/// then on the cluster's barriers are dense.
///
/// Cost: at a dense barrier of n processes n − 1 messages from each, in one latency; in rounds with
/// radix r at most (r − 1)⌈log_r n⌉ messages in ⌈log_r n⌉ latencies, and one message for each
/// process to which mail goes straight. See cheapest_radix for the choice. Short messages are
/// copied when they are packed, forwarded and received; long ones, see wire.hpp, when they are
/// lent.
/// Source: see index_rounds; the notices, and the common kind of the next barrier, are
/// ours.
/// Thread safety: worker 0 of a run.
class process_exchange {
 public:
  process_exchange(run_state& run, link& to, const process_layout& layout) noexcept
      : run_(run), link_(to), layout_(layout) {}

  /// Begins a run, on the current plan of the run_state.
  void begin(std::uint64_t number) noexcept;
  /// Takes a packet of this run of a kind that packet_kind marks (exchange).
  void take(std::size_t from, const packet_head& head, link::arrival&& packet);
  /// Advances all barriers as far as possible. Returns whether something has changed for which a
  /// worker may wait.
  bool advance();

  /// Numbers of packets of the exchange so far, from which quiescence determines whether one is in
  /// transit.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

  /// Messages that workers leave for other processes, see crossing.
  [[nodiscard]] leftovers<remote_leftover>& left_for_others() noexcept { return left_for_others_; }

 private:
  [[nodiscard]] shared_cluster& find(const packet_head& head) const;
  bool advance(shared_cluster& m);
  void send_step(shared_cluster& m);
  /// Steps to make a packet: `start` it, `add` mail to it, `post` it.
  void start(const packet_head& head);
  void add(remote_mail& mail);
  void post(std::size_t to);
  void post(std::size_t to, const packet_head& head) {
    start(head);
    post(to);
  }
  void recycle(crossing& c) noexcept;
  // index_exchange.cpp
  void sort_mail(crossing& c);
  void choose_next(crossing& c);
  void enter_rounds(shared_cluster& m, bool leaving);
  void send_round(shared_cluster& m);
  void take_round(crossing& c, link::arrival&& packet);
  [[nodiscard]] bool rounds_passed(shared_cluster& m);
  void send_leaving(shared_cluster& m);
  void send_leftovers();
  void deliver(shared_cluster& m);
  void deliver(shared_cluster& m, std::size_t process, byte_reader from, byte_buffer* beside);
  void take_leftover(link::arrival& packet);
  [[nodiscard]] bool relay(shared_cluster& m) noexcept;
  bool leave(shared_cluster& m) noexcept;
  void arrive_for_others(shared_cluster& m, std::uint64_t epoch) noexcept;
  [[nodiscard]] packet_head head(packet_kind kind, const shared_cluster* m,
                                 std::uint64_t epoch) const noexcept;

  run_state& run_;
  link& link_;
  const process_layout& layout_;
  std::uint64_t number_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
  leftovers<remote_leftover> left_for_others_;
  std::uint64_t leftovers_on_their_way_ = 0;
  // The message being made
  byte_buffer front_;
  std::vector<byte_buffer*> parts_;
  std::vector<link::enclosure> beside_;
  struct outgoing {
    std::size_t process, member;  // to the process, from the member of the cluster here
    remote_mail* mail;
  };
  std::vector<outgoing> outgoing_;  // of the barrier that is entered, in order
};

}  // namespace pleat::detail
