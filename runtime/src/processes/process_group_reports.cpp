// SPDX-License-Identifier: Apache-2.0
// Reports of a process to process 0.
#include <string>
#include <utility>

#include "engine/run_state.hpp"
#include "engine/worker.hpp"
#include "processes/failure_record.hpp"
#include "processes/process_group.hpp"

namespace pleat::detail {

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
  if (ended_ && rings_->settled() && left_over_ != nullptr) waits.left_over = (*left_over_)();
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
