// SPDX-License-Identifier: Apache-2.0
// Which virtual processor runs next: depth-first, a cluster goes on before those behind it start.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <pleat/runtime/detail/worker.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

bool worker::all_wait_at(rank_range ranks, unsigned label) const noexcept {
  for (std::size_t rank = ranks.first; rank < ranks.last; ++rank) {
    const vp_state& x = vps_.at(rank);
    if (!x.ended() && x.waits_at != label) return false;
  }
  return true;
}

unsigned worker::resume(vp_state& x, std::size_t rank, std::size_t farthest) {
  outcome_ = finished;
  farthest_ = farthest;
  x.resume_point.resume();
  if (outcome_ >= most_labels) [[unlikely]]
    look_into(x, rank);
  return outcome_;
}

void worker::look_into(vp_state& x, std::size_t rank) {
  // Where a transfer from one coroutine to another is not a jump, it is left to us.
  const auto go_on = [&] {
    while (execution_.next) std::exchange(execution_.next, nullptr).resume();
  };
  go_on();
  while (outcome_ >= to_be_routed) {
    begin_journey(x, outcome_ - to_be_routed);
    outcome_ = finished;
    x.resume_point.resume();
    go_on();
  }
  if (outcome_ == finished) retire(x, rank);
}

void worker::scan(std::size_t first, std::size_t last) {
  // Stretches of ever finer labels, each ending at the VP just run. Where VPs of one cluster turn
  // out to wait at labels that do not nest, or at a channel, the stretches are forgotten: those
  // clusters cannot be complete, and others find them later if a channel lets them go on.
  std::array<stretch, most_labels + 1> stretches;
  std::size_t depth = 0;
  std::size_t ended_from = first;      // VPs ended_from … rank − 1 have all ended,
  mail::mark sent_from = mail_.now();  // and this is when the first of them ran
  const auto forget = [&](std::size_t rank) {
    depth = 0;
    ended_from = rank;
    sent_from = mail_.now();
  };

  for (std::size_t rank = first; rank < last;) {
    vp_state& x = vps_.at(rank);
    if (!x.ended()) {
      prefetch(rank);
      const unsigned how = resume(x, rank, rank);
      if (how < most_labels) {
        if (depth == 0 || stretches[depth - 1].label != how) {
          if (depth != 0 && stretches[depth - 1].label > how) {
            depth = 0;
            ended_from = rank;
          }
          stretches[depth++] = {how, ended_from, vps_.part_of_cluster(rank, how).last, sent_from};
        }
        ended_from = rank + 1;
        sent_from = mail_.now();
      } else if (how == at_channel) {
        forget(rank + 1);
      } else if (how != finished || crew_.poisoned()) {
        return;  // a solo VP, whose barrier is under way; or one that failed
      }
    }
    ++rank;

    // Does the cluster of the finest stretch end here, and is it complete?
    if (depth == 0 || rank != stretches[depth - 1].end_of_part) continue;
    const stretch done = stretches[--depth];
    const rank_range ranks = vps_.part_of_cluster(rank - 1, done.label);
    bool released = false;
    if (done.start <= ranks.first) {
      released = complete(ranks, done.label, done.sent_from);
    } else if (ranks.first < first && done.start <= first && all_wait_at(ranks, done.label)) {
      released = complete(ranks, done.label, {});  // those before `first` may have sent too
    }
    if (!released) {
      forget(rank);
      if (crew_.poisoned()) return;
      continue;
    }
    rank = ranks.first;
    first = std::min(first, rank);
    ended_from = std::min(done.start, rank);  // it may have begun in front of this scan
    sent_from = mail_.now();
  }

  // The scan may have ended in the middle of the worker's part of a cluster.
  if (depth == 0) {
    if (ended_from <= first && vps_.live != 0) look_around(first);
    return;
  }
  const stretch open = stretches[depth - 1];
  const rank_range ranks = vps_.part_of_cluster(last - 1, open.label);
  if (open.start > first || !all_wait_at(ranks, open.label)) return;
  if (complete(ranks, open.label, {})) scan(ranks.first, ranks.last);
}

bool worker::complete(rank_range ranks, unsigned label, mail::mark sent_from) {
  if (membership* p = vps_.shared().find(ranks.first, label)) {
    announce(*p);
    return false;
  }
  if (crew_.poisoned()) return false;
  if (ranks.first == 0 && !vps_.has_ended(0)) ++supersteps_[label];
  if (recorder_ != nullptr) recorder_->completed(ranks, label);
  mail_.deliver(label, ranks, sent_from);
  return true;
}

void worker::run_one(std::size_t rank, std::size_t farthest) {
  const unsigned how = resume(vps_.at(rank), rank, farthest);
  if (how == finished) return look_around(rank);
  if (how >= most_labels) return;
  const rank_range ranks = vps_.part_of_cluster(rank, how);
  if (!all_wait_at(ranks, how)) return;
  // The VPs of this cluster did not run one after the other.
  if (complete(ranks, how, {})) scan(ranks.first, ranks.last);
}

void worker::look_around(std::size_t rank) {
  for (unsigned label = vps_.labels; label-- > 0;) {
    const rank_range ranks = vps_.part_of_cluster(rank, label);
    const auto waits = [&](std::size_t r) { return !vps_.has_ended(r); };
    std::size_t alive = ranks.first;
    while (alive < ranks.last && !waits(alive)) ++alive;
    if (alive == ranks.last) continue;  // all have ended: a coarser cluster may wait for them
    const unsigned at_label = vps_.at(alive).waits_at;
    if (at_label < label) continue;  // the cluster it waits for is a coarser one
    if (at_label > label || !all_wait_at(ranks, label)) return;
    if (complete(ranks, label, {})) scan(ranks.first, ranks.last);
    return;
  }
}

void worker::prefetch(std::size_t rank) const noexcept {
  // What the VP some places ahead will touch: its frame and the first message in its inbox.
  constexpr std::size_t ahead = 6;
  if (rank + ahead >= vps_.ranks.last) return;
  const vp_state& x = vps_.at(rank + ahead);
  const auto frame = reinterpret_cast<std::uintptr_t>(x.resume_point.address());  // 0: it ended
  __builtin_prefetch(reinterpret_cast<const void*>(frame), 1);
  __builtin_prefetch(reinterpret_cast<const void*>(frame + cache_line), 1);
  __builtin_prefetch(x.inbox);
}

bool worker::enter_sync(std::size_t rank, unsigned label) {
  if (label < solo_labels_) [[likely]]
    return pass_solo(rank, label);
  if (label >= vps_.labels) {
    throw usage_error("VP " + std::to_string(rank) + ": sync(" + std::to_string(label) +
                      (label < large_label ? "" : " or more") + ") in M(" + std::to_string(vps_.v) +
                      "): labels go from 0 to " + std::to_string(vps_.labels - 1));
  }
  if (!spent_.empty()) free_spent();
  const bool programs_own = !routes_packets_ || !relay_of(rank).under_way;
  if (strict_ && programs_own) {
    const unsigned shared = shared_bits(vps_.v, rank, farthest_);
    if (shared < label) throw out_of_cluster(rank, farthest_, label, shared);
    loans_.at_sync(vps_.v, rank, label);
  }
  if (routes_packets_ && programs_own) {
    announced_ = to_be_routed;
    return false;
  }
  try {
    if (recorder_ != nullptr) recorder_->sync(rank, label);
  } catch (...) {
    return end_run_at_sync(std::current_exception());
  }
  if (!solo()) return false;
  const bool passed = pass_solo(rank, label);
  farthest_ = rank;
  return passed;
}

}  // namespace pleat::detail
