// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_stream.hpp"
#include "mail/process_layout.hpp"
#include "mail/run_plan.hpp"
#include "processes/crossing.hpp"
#include "processes/link.hpp"
#include "processes/packet.hpp"

namespace pleat::detail {

struct run_state;

/// Barriers of clusters that lie on several processes, and the mail that goes with them: for each
/// such cluster, when all workers of this process have arrived, one message goes to each other
/// process in the cluster, with the mail for that process; when one has arrived from each, the
/// workers continue. That is a *dense* barrier. If there are many processes and little mail, or
/// mail for few of them, mail is forwarded *in rounds* by the index algorithm with some radix; long
/// mail goes straight to its process, and a notice of it in the rounds. The rounds have passed only
/// when all processes have arrived, so they are the barrier too. Each barrier tells all processes
/// how much mail a process has and for how many others, so that all make the same choice for the
/// next barrier. A process whose virtual processors in the cluster have all ended reports this
/// once, and no process waits for it again; from then on the cluster's barriers are dense.
/// Processes that all leave in the same rounds report nothing more.
///
/// Cost: at a dense barrier of n processes n − 1 messages from each, in one latency; in rounds with
/// radix r at most (r − 1)⌈log_r n⌉ messages in ⌈log_r n⌉ latencies, and one message for each
/// process to which mail goes straight. See cheapest_radix for the choice. Short messages are
/// copied when they are packed, forwarded and received; long ones, see wire.hpp, when they are
/// lent.
/// Source: see index_rounds; the notices, and the agreement on the kind of the next barrier, are
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
