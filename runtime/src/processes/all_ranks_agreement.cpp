// SPDX-License-Identifier: Apache-2.0
// What rank 0 does for all: it hears how the others do, and says when a run is over.
#include <new>
#include <sched.h>
#include <string>
#include <utility>

#include "engine/run_state.hpp"
#include "processes/all_ranks.hpp"
#include "processes/failure_record.hpp"

namespace pleat::detail {

void all_ranks::look_around() {
  while (!over_ && waits_.empty() && quiet_.asks()) {
    post_to_all(front(packet_kind::probe, quiet_.question()));
    answer(quiet_.question());
  }
}

void all_ranks::heard_end(std::size_t from, const totals& of_rank) {
  quiet_.has_ended(from);
  totals_.messages += of_rank.messages;
  totals_.bytes += of_rank.bytes;
  totals_.untaken += of_rank.untaken;
  if (from == 0) totals_.supersteps = of_rank.supersteps;
  if (!quiet_.all_ended()) return look_around();
  if (totals_.untaken == 0) return finish(0, nullptr);
  settle();
}

/// All have ended, and some message of a ring was never taken. When all ranks have heard of those
/// that were, their senders know which.
void all_ranks::settle() {
  quiet_.ask_anew();
  post_to_all(front(packet_kind::settle));
  rings_->settle();
  look_around();
}

void all_ranks::heard_answer(std::size_t from, std::uint64_t question, bool idle,
                             std::uint64_t sent, std::uint64_t received) {
  if (!quiet_.answered(from, question, idle, sent, received)) {
    if (from != 0) look_around();  // else it is under way
    return;
  }
  waits_.resize(layout_->ranks());
  post_to_all(front(packet_kind::tell));
  report_waits();
}

void all_ranks::heard_waits(std::size_t from, waits_census waits) {
  waits_[from] = std::move(waits);
  if (++waits_heard_ < waits_.size()) return;
  waits_census all;
  for (const auto& of_rank : waits_) all.append(*of_rank);
  finish(0, diagnose(all));
}

/// Once one rank has been told how the run ends, the others have to hear the same.
void all_ranks::tell_all_alike(const byte_buffer& packet) noexcept {
  for (std::size_t rank = 0; rank < layout_->ranks();) {
    try {
      if (rank != layout_->self()) post_copy(rank, packet);
      ++rank;
    } catch (const std::bad_alloc&) {  // until others give memory back
      ::sched_yield();
    }
  }
}

void all_ranks::finish(std::size_t culprit, const std::exception_ptr& cause) {
  if (over_) return;  // the first cause counts
  byte_buffer packet = front(packet_kind::over, culprit);
  byte_writer to(packet);
  to.put(std::uint64_t{cause != nullptr});
  if (cause)
    write_failure(cause, to);
  else
    to.put(totals_);
  if (!cause && gathered_) gathered_->sum().write(to);
  tell_all_alike(packet);
  costs_ = std::move(packet);
  end(culprit, cause);
}

void all_ranks::end(std::size_t culprit, const std::exception_ptr& cause) {
  culprit_ = culprit;
  failure_ = cause;
  over_ = true;
  if (failure_ && !ended_ && !stopped_) run_.poison(failure_);
}

}  // namespace pleat::detail
