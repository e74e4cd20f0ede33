// SPDX-License-Identifier: Apache-2.0
//
// Part of process 0 in the agreement: it collects the states of all processes, and determines when
// a run is over.
#include <new>
#include <sched.h>
#include <string>
#include <utility>

#include "engine/run_state.hpp"
#include "processes/failure_record.hpp"
#include "processes/process_group.hpp"

namespace pleat::detail {

void process_group::look_around() {
  while (!over_ && waits_.empty() && quiet_.asks()) {
    post_to_all(front(packet_kind::probe, quiet_.question()));
    answer(quiet_.question());
  }
}

void process_group::receive_end(std::size_t from, const totals& of_process) {
  quiet_.has_ended(from);
  totals_.messages += of_process.messages;
  totals_.bytes += of_process.bytes;
  totals_.untaken += of_process.untaken;
  if (from == 0) totals_.supersteps = of_process.supersteps;
  if (!quiet_.all_ended()) return look_around();
  if (totals_.untaken == 0) return finish(0, nullptr);
  settle();
}

/// Asks for credits when all have ended, and some message of a ring was never taken. With the
/// credits for all messages that were taken, the senders know which ones were not.
void process_group::settle() {
  quiet_.ask_anew();
  post_to_all(front(packet_kind::settle));
  rings_->settle();
  look_around();
}

void process_group::receive_answer(std::size_t from, std::uint64_t question, bool idle,
                                   std::uint64_t sent, std::uint64_t received) {
  if (!quiet_.answered(from, question, idle, sent, received)) {
    if (from != 0) look_around();  // else a probe is under way
    return;
  }
  waits_.resize(layout_->processes());
  post_to_all(front(packet_kind::ask_waits));
  report_waits();
}

void process_group::receive_waits(std::size_t from, wait_states waits) {
  waits_[from] = std::move(waits);
  if (++waits_received_ < waits_.size()) return;
  wait_states all;
  for (const auto& of_process : waits_) all.append(*of_process);
  finish(0, diagnose(all));
}

/// Sends a packet to all other processes, and does not fail: once one process knows how the run
/// ends, the others must get the same packet.
void process_group::post_to_all_alike(const byte_buffer& packet) noexcept {
  for (std::size_t process = 0; process < layout_->processes();) {
    try {
      if (process != layout_->self()) post_copy(process, packet);
      ++process;
    } catch (const std::bad_alloc&) {  // retries until others free memory
      ::sched_yield();
    }
  }
}

void process_group::finish(std::size_t culprit, const std::exception_ptr& cause) {
  if (over_) return;  // only the first cause counts
  byte_buffer packet = front(packet_kind::over, culprit);
  byte_writer to(packet);
  to.put(std::uint64_t{cause != nullptr});
  if (cause)
    write_failure(cause, to);
  else
    to.put(totals_);
  if (!cause && gathered_) gathered_->sum().write(to);
  post_to_all_alike(packet);
  costs_ = std::move(packet);
  end(culprit, cause);
}

void process_group::end(std::size_t culprit, const std::exception_ptr& cause) {
  culprit_ = culprit;
  failure_ = cause;
  over_ = true;
  if (failure_ && !ended_ && !stopped_) run_.poison(failure_);
}

}  // namespace pleat::detail
