// SPDX-License-Identifier: Apache-2.0
//
// End of a run: each process reports to process 0, which determines when the run is over.
#include <new>
#include <sched.h>
#include <string>
#include <utility>

#include "engine/run_state.hpp"
#include "engine/worker.hpp"
#include "processes/process_group.hpp"
#include "processes/wire.hpp"

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
      if (process != layout_->self()) post_copy(*link_, process, packet);
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

void process_group::report_idle() {
  reported_idle_in_ = idle_in_.load(std::memory_order_relaxed);
  if (layout_->self() != 0) return post(0, front(packet_kind::quiet));
  quiet_.is_idle(0);
  look_around();
}

void process_group::answer(std::uint64_t question) {
  const bool idle =
      ended_ || (!stopped_ && idle_in_.load(std::memory_order_acquire) ==  // as in is_idle
                                  run_.termination.generation());
  if (!idle) reported_idle_in_ = 0;  // it reports as soon as it is idle
  const std::uint64_t sent = exchange_->sent() + rings_->sent();
  const std::uint64_t received = exchange_->received() + rings_->received();
  if (layout_->self() == 0) return receive_answer(0, question, idle, sent, received);
  byte_buffer packet = front(packet_kind::answer, question);
  byte_writer to(packet);
  to.put(std::uint64_t{idle});
  to.put(sent);
  to.put(received);
  post(0, std::move(packet));
}

void process_group::report_waits() {
  wait_states waits = take_wait_states(run_);
  if (ended_ && rings_->settled()) waits.left_over = run_.left_over();
  if (layout_->self() == 0) return receive_waits(0, std::move(waits));
  byte_buffer packet = front(packet_kind::waits);
  byte_writer to(packet);
  to.put_bytes(waits.states.data(), waits.states.size());
  to.put(std::uint64_t{waits.waiting_at_channels});
  to.put(std::uint64_t{waits.left_over != nullptr});
  if (waits.left_over) write_failure(waits.left_over, to);
  for (const std::string& words : waits.at_channels) to.put_bytes(words.data(), words.size());
  post(0, std::move(packet));
}

void process_group::report_end() {
  totals mine;
  for (std::size_t w = 0; w < run_.now.active; ++w) {
    mine.messages += run_.workers[w]->of_run().delivered.messages;
    mine.bytes += run_.workers[w]->of_run().delivered.bytes;
  }
  mine.untaken = rings_->untaken();
  if (layout_->self() == 0) {
    mine.supersteps = run_.workers[0]->supersteps();
    if (gathered_) gathered_->add_end(0, std::move(run_.recorder->counted()));
    return receive_end(0, mine);
  }
  byte_buffer packet = front(packet_kind::done);
  byte_writer to(packet);
  to.put(mine);
  if (run_.recorder != nullptr) run_.recorder->counted().write(to);
  post(0, std::move(packet));
}

void process_group::report_failure(const std::exception_ptr& cause) {
  if (layout_->self() == 0) return finish(0, cause);
  byte_buffer packet = front(packet_kind::failed);
  byte_writer to(packet);
  write_failure(cause, to);
  post(0, std::move(packet));
}

}  // namespace pleat::detail
