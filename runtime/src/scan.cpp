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

vp& worker::at(std::size_t rank) noexcept { return vps_[rank - ranks_.first]; }
const vp& worker::at(std::size_t rank) const noexcept { return vps_[rank - ranks_.first]; }

rank_range worker::part_of(std::size_t rank, unsigned label) const noexcept {
  return intersect(cluster_of(v_, rank, label), ranks_);
}

part* worker::part_in_meeting(std::size_t rank, unsigned label) noexcept {
  for (const std::int16_t index : {share_->lower[label], share_->upper[label]}) {
    if (index >= 0 && share_->parts[index].ranks.contains(rank)) return &share_->parts[index];
  }
  return nullptr;
}

bool worker::all_wait_at(rank_range ranks, unsigned label) const noexcept {
  for (std::size_t rank = ranks.first; rank < ranks.last; ++rank) {
    const vp& x = at(rank);
    if (x.resume_point_ != nullptr && x.waits_at_ != label) return false;
  }
  return true;
}

unsigned worker::resume(vp& x, std::size_t rank, std::size_t farthest) {
  outcome_ = finished;
  farthest_ = farthest;
  x.resume_point_.resume();
  if (outcome_ >= most_labels) [[unlikely]]
    look_into(x, rank);
  return outcome_;
}

void worker::look_into(vp& x, std::size_t rank) {
  // Where a transfer from one coroutine to another is not a jump, it is left to us.
  const auto go_on = [&] {
    while (execution_.next) std::exchange(execution_.next, nullptr).resume();
  };
  go_on();
  while (outcome_ >= to_be_routed) {
    begin_journey(x, outcome_ - to_be_routed);
    outcome_ = finished;
    x.resume_point_.resume();
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
  std::size_t ended_from = first;           // VPs ended_from … rank − 1 have all ended,
  std::size_t sent_from = own_.position();  // and this is where own_ stood before the first of them
  const auto forget = [&](std::size_t rank) {
    depth = 0;
    ended_from = rank;
    sent_from = own_.position();
  };

  for (std::size_t rank = first; rank < last;) {
    vp& x = at(rank);
    if (x.resume_point_ != nullptr) {
      prefetch(rank);
      const unsigned how = resume(x, rank, rank);
      if (how < most_labels) {
        if (depth == 0 || stretches[depth - 1].label != how) {
          if (depth != 0 && stretches[depth - 1].label > how) {
            depth = 0;
            ended_from = rank;
          }
          stretches[depth++] = {how, ended_from, part_of(rank, how).last, sent_from, own_moves_};
        }
        ended_from = rank + 1;
        sent_from = own_.position();
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
    const rank_range ranks = part_of(rank - 1, done.label);
    bool released = false;
    if (done.start <= ranks.first) {
      if (done.own_moves != own_moves_) own_leftover_ = true;
      released = complete(ranks, done.label, done.sent_from);
    } else if (ranks.first < first && done.start <= first && all_wait_at(ranks, done.label)) {
      own_leftover_ = true;  // those before `first` may have sent too
      released = complete(ranks, done.label, 0);
    }
    if (!released) {
      forget(rank);
      if (crew_.poisoned()) return;
      continue;
    }
    rank = ranks.first;
    first = std::min(first, rank);
    ended_from = std::min(done.start, rank);  // it may have begun in front of this scan
    sent_from = own_.position();
  }

  // The scan may have ended in the middle of the worker's part of a cluster.
  if (depth == 0) {
    if (ended_from <= first && live_ != 0) look_around(first);
    return;
  }
  const stretch open = stretches[depth - 1];
  const rank_range ranks = part_of(last - 1, open.label);
  if (open.start > first || !all_wait_at(ranks, open.label)) return;
  own_leftover_ = true;
  if (complete(ranks, open.label, 0)) scan(ranks.first, ranks.last);
}

bool worker::complete(rank_range ranks, unsigned label, std::size_t sent_from) {
  if (part* p = part_in_meeting(ranks.first, label)) {
    announce(*p);
    return false;
  }
  if (crew_.poisoned()) return false;
  if (ranks.first == 0 && !has_ended(0)) ++counts_.supersteps[label];
  if (recorder_ != nullptr) recorder_->completed(ranks, label);
  deliver(label, ranks, sent_from, nullptr);
  return true;
}

void worker::run_one(std::size_t rank, std::size_t farthest) {
  const unsigned how = resume(at(rank), rank, farthest);
  if (how == finished) return look_around(rank);
  if (how >= most_labels) return;
  const rank_range ranks = part_of(rank, how);
  if (!all_wait_at(ranks, how)) return;
  own_leftover_ = true;  // the VPs of this cluster did not run one after the other
  if (complete(ranks, how, 0)) scan(ranks.first, ranks.last);
}

void worker::look_around(std::size_t rank) {
  for (unsigned label = labels_; label-- > 0;) {
    const rank_range ranks = part_of(rank, label);
    const auto waits = [&](std::size_t r) { return at(r).resume_point_ != nullptr; };
    std::size_t alive = ranks.first;
    while (alive < ranks.last && !waits(alive)) ++alive;
    if (alive == ranks.last) continue;  // all have ended: a coarser cluster may wait for them
    const unsigned at_label = at(alive).waits_at_;
    if (at_label < label) continue;  // the cluster it waits for is a coarser one
    if (at_label > label || !all_wait_at(ranks, label)) return;
    own_leftover_ = true;
    if (complete(ranks, label, 0)) scan(ranks.first, ranks.last);
    return;
  }
}

void worker::prefetch(std::size_t rank) const noexcept {
  // What the VP some places ahead will touch: its frame and the first message in its inbox.
  constexpr std::size_t ahead = 6;
  if (rank + ahead >= ranks_.last) return;
  const vp& x = vps_[rank + ahead - ranks_.first];
  const auto frame = reinterpret_cast<std::uintptr_t>(x.resume_point_.address());  // 0: it ended
  __builtin_prefetch(reinterpret_cast<const void*>(frame), 1);
  __builtin_prefetch(reinterpret_cast<const void*>(frame + cache_line), 1);
  __builtin_prefetch(x.inbox_);
}

bool worker::enter_sync(std::size_t rank, unsigned label) {
  if (label < solo_labels_) [[likely]]
    return pass_solo(rank, label);
  if (label >= labels_) {
    throw usage_error("VP " + std::to_string(rank) + ": sync(" + std::to_string(label) +
                      (label < large_label ? "" : " or more") + ") in M(" + std::to_string(v_) +
                      "): labels go from 0 to " + std::to_string(labels_ - 1));
  }
  if (!spent_.empty()) free_spent();
  const bool programs_own = !routes_packets_ || !journey_of(at(rank)).under_way;
  if (strict_ && programs_own) {
    const unsigned shared = shared_bits(v_, rank, farthest_);
    if (shared < label) throw out_of_cluster(rank, farthest_, label, shared);
    loans_.at_sync(v_, rank, label);
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
