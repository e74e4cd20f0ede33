// SPDX-License-Identifier: Apache-2.0
//
// Arrival of a worker's virtual processors at barriers and channels, and their release.
#include <optional>
#include <string>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "engine/other_processes.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

void vp_host::no_such_label(std::size_t rank, unsigned label) const {
  throw usage_error("VP " + std::to_string(rank) + ": sync(" + std::to_string(label) + ") in M(" +
                    std::to_string(vps_.v) + "): labels go from 0 to " +
                    std::to_string(vps_.labels - 1));
}

bool vp_host::enter_sync(std::size_t rank, unsigned label) {
  worker& me = static_cast<worker&>(*this);
  if (label < me.solo_labels_) [[likely]]
    return me.pass_solo(label);
  if (label >= vps_.labels) no_such_label(rank, label);
  if (!me.spent_.empty()) me.free_spent();
  if (strict_) {
    const std::size_t farthest = rank ^ me.reach_;
    const unsigned shared = shared_bits(vps_.v, rank, farthest);
    if (shared < label) throw out_of_cluster(rank, farthest, label, shared);
    me.loans_.at_sync(vps_.v, rank, label);
    me.reach_ = 0;
  }
  try {
    if (recorder_ != nullptr) recorder_->sync(rank, label);
  } catch (...) {
    return me.end_run_at_sync(std::current_exception());
  }
  return me.solo() && me.pass_solo(label);
}

bool worker::pass_solo(unsigned label) try {
  if (watched_) [[unlikely]]
    run_.look();
  membership* const p = solo_at_[label];
  if (p == nullptr) {
    if (release(vps_.ranks, label, {})) return true;
  } else {
    arrive(*p);
    timed account(times_);
    const auto passed = [&] {
      if (others_ != nullptr) [[unlikely]]
        others_->drive(false);
      return barriers_.passed(*p);
    };
    if (idle_loop_.spin(account, label, passed)) {
      account.stop();
      released(*p);
      return true;
    }
  }
  at_sync_ = vp_stop::kind::arrived;  // the VP suspends; act() continues
  return false;
} catch (...) {
  return end_run_at_sync(std::current_exception());
}

bool worker::end_run_at_sync(std::exception_ptr cause) noexcept {
  run_.poison(std::move(cause));
  at_sync_ = vp_stop::kind::arrived;
  return false;
}

bool worker::release(rank_range part, unsigned label, mail::mark sent_from) {
  if (membership* p = vps_.shared().find(part.first, label)) {
    arrive(*p);
    return false;
  }
  if (run_.poisoned()) return false;
  if (part.first == 0 && !vps_.has_ended(0)) ++supersteps_[label];
  if (recorder_ != nullptr) recorder_->completed(part, label);
  mail_.deliver(label, part, sent_from);
  return true;
}

void worker::arrive(membership& p) {
  if (recorder_ != nullptr) report_costs(p, false);
  mail_.pack(p);
  barriers_.arrive(p);
}

/// Reports counted messages to other processes. A worker that counts is the only one of its
/// process, so other processes have a part in every shared cluster.
void worker::report_costs(const membership& p, bool leaves) {
  const cost_recorder::part_of_superstep sent =
      leaves ? cost_recorder::part_of_superstep{} : recorder_->take_sent_by(p.ranks);
  others_->report_costs(
      {p.where->label, p.where->ranks.first, p.arrivals() + 1, sent.superstep, leaves},
      sent.messages);
}

void worker::released(membership& p) {
  p.waiting = false;
  if (p.ranks.first == 0 && !vps_.has_ended(0)) ++supersteps_[p.where->label];
  mail_.deliver(p);
}

bool worker::act() {
  if (others_ != nullptr) [[unlikely]]
    others_->drive(false);
  if (membership* p = barriers_.passed()) {
    at_sync_ = vp_stop::kind::at_barrier;
    released(*p);
    scheduler_.run(p->ranks, mail_.now());
    return true;
  }
  if (std::optional<channel_wait> wait = waits_.take_ready()) {
    spent_ = std::move(wait->spent);
    reach_ = wait->reach;
    reset_quick_labels();
    scheduler_.run({wait->rank, wait->rank + 1}, {});
    return true;
  }
  return false;
}

void worker::suspended_at_channel(channel_wait&& wait) {
  if (recorder_ != nullptr) recorder_->suspended(wait.rank);
  channel_wait& kept = waits_.add(std::move(wait));
  kept.spent = std::exchange(spent_, {});  // only now, when nothing can throw
  kept.reach = std::exchange(reach_, 0);
  reset_quick_labels();
  stop_ = {vp_stop::kind::at_channel, 0};
}

void worker::suspended_for_ever(std::size_t rank, std::exception_ptr cause) noexcept {
  fail(rank, std::move(cause));
  stop_ = {vp_stop::kind::arrived, 0};
}

void vp_host::spend(void* memory) {
  worker& me = static_cast<worker&>(*this);
  me.spent_.blocks.push_back(memory);
  quick_labels_ = me.solo_labels_ = 0;
}

void vp_host::make_room_to_spend() {
  std::vector<void*>& blocks = static_cast<worker&>(*this).spent_.blocks;
  if (blocks.capacity() < blocks.size() + 2) blocks.reserve(2 * blocks.size() + 2);
}

void worker::free_spent() noexcept {
  spent_.release();
  reset_quick_labels();
}

void worker::reset_quick_labels() noexcept {
  const unsigned labels = strict_ || !spent_.empty() ? 0 : vps_.labels;
  quick_labels_ = solo() ? 0 : labels;
  solo_labels_ = solo() ? labels : 0;
}

outbox& vp_host::strict_outbox(std::size_t source, std::size_t destination, std::size_t messages,
                               std::size_t bytes) {
  outbox& to = outbox_for(destination);
  to.reserve_one(bytes);
  static_cast<worker&>(*this).note_messages(source, destination, messages);
  return to;
}

}  // namespace pleat::detail
