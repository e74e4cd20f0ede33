// SPDX-License-Identifier: Apache-2.0
#include "engine/scheduler.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <pleat/channels/cache_line.hpp>

#include "engine/worker.hpp"

namespace pleat::detail {

/// Stack of ranges with ascending labels, each ending at the VP that has just run. If VPs of one
/// cluster wait at labels that do not nest, or at a channel, the ranges are dropped: those clusters
/// cannot be complete yet, and are found later if a channel lets their VPs continue.
class scheduler::waiting_ranges {
 public:
  waiting_ranges(std::size_t first, mail::mark sent_from) noexcept
      : start_(first), sent_from_(sent_from) {}

  [[nodiscard]] bool empty() const noexcept { return depth_ == 0; }
  [[nodiscard]] bool one_ends_at(std::size_t rank) const noexcept {
    return depth_ != 0 && ranges_[depth_ - 1].end_of_part == rank;
  }
  /// Removes and returns the finest range.
  waiting_range take() noexcept { return ranges_[--depth_]; }
  /// Rank from which on all VPs have ended, if there are no ranges.
  [[nodiscard]] std::size_t ended_from() const noexcept { return start_; }

  /// Adds VP `rank`, which has come to a barrier.
  void add(const local_vps& vps, std::size_t rank, unsigned label, mail::mark now) noexcept {
    if (depth_ == 0 || ranges_[depth_ - 1].label != label) {
      if (depth_ != 0 && ranges_[depth_ - 1].label > label) {
        depth_ = 0;
        start_ = rank;
      }
      ranges_[depth_++] = {label, start_, vps.part_of_cluster(rank, label).last, sent_from_};
    }
    start_after(rank + 1, now);
  }
  /// Begins the next range with VP `rank`, or with the VPs before it that have ended.
  void start_after(std::size_t rank, mail::mark now) noexcept {
    start_ = rank;
    sent_from_ = now;
  }
  void forget(std::size_t rank, mail::mark now) noexcept {
    depth_ = 0;
    start_after(rank, now);
  }

 private:
  std::array<waiting_range, most_labels + 1> ranges_;  // the first depth_ of them
  std::size_t depth_ = 0;
  std::size_t start_;     // start of the next range: the VPs from here on have ended
  mail::mark sent_from_;  // mark before the first of these began
};

void scheduler::run(rank_range ranks, mail::mark sent_from) {
  while (ranks.size() != 0) {
    ranks = scan(ranks, sent_from);
    sent_from = worker_.messages().now();
  }
}

rank_range scheduler::scan(rank_range ranks, mail::mark sent_from) {
  const mail& messages = worker_.messages();
  waiting_ranges waiting(ranks.first, sent_from);
  for (std::size_t rank = ranks.first; rank < ranks.last;) {
    vp_state& x = vps_.at(rank);
    if (!x.ended()) {
      prefetch(rank);
      const vp_stop stop = worker_.resume(x);
      if (stop.how == vp_stop::kind::at_barrier)
        waiting.add(vps_, rank, stop.label, messages.now());
      else if (stop.how == vp_stop::kind::at_channel)
        waiting.forget(rank + 1, messages.now());
      else if (stop.how != vp_stop::kind::ended || worker_.run().poisoned())
        return {};  // a single VP that has arrived at its barrier; or one that failed
    }
    ++rank;
    if (!waiting.one_ends_at(rank)) continue;
    const waiting_range done = waiting.take();
    const rank_range released = complete(done, rank);
    if (released.size() != 0) {
      rank = released.first;
      ranks.first = std::min(ranks.first, rank);
      waiting.start_after(std::min(done.start, rank), messages.now());
    } else {
      if (worker_.run().poisoned()) return {};
      waiting.forget(rank, messages.now());
    }
  }

  // The scan may have ended in the middle of the worker's part of a cluster.
  if (!waiting.empty()) return complete(waiting.take(), ranks.last);
  if (waiting.ended_from() > ranks.first || vps_.live == 0) return {};
  const std::optional<unsigned> label = label_around(ranks);
  return label ? complete({*label, ranks.first, ranks.last, {}}, ranks.last) : rank_range{};
}

rank_range scheduler::complete(const waiting_range& done, std::size_t end) {
  const rank_range part = vps_.part_of_cluster(end - 1, done.label);
  // Checks from the range outwards: its neighbours are the likeliest not to be at the barrier.
  for (std::size_t rank = done.start; rank > part.first; --rank) {
    if (!at_barrier(rank - 1, done.label)) return {};
  }
  for (std::size_t rank = end; rank < part.last; ++rank) {
    if (!at_barrier(rank, done.label)) return {};
  }
  const bool in_order = done.start <= part.first && end == part.last;
  const mail::mark sent_from = in_order ? done.sent_from : mail::mark{};
  return worker_.release(part, done.label, sent_from) ? part : rank_range{};
}

bool scheduler::at_barrier(std::size_t rank, unsigned label) const noexcept {
  const vp_state& x = vps_.at(rank);
  return x.ended() || x.waits_at == label;
}

std::optional<unsigned> scheduler::label_around(rank_range ended) const noexcept {
  // The finest cluster with VPs that have not ended can continue if they all wait at its own
  // barrier. Else they may wait at the barrier of a larger cluster.
  for (unsigned label = vps_.labels; label-- > 0;) {
    const rank_range part = vps_.part_of_cluster(ended.first, label);
    for (std::size_t rank = part.first; rank < part.last; ++rank) {
      if (vps_.has_ended(rank)) continue;
      const unsigned waits_at = vps_.at(rank).waits_at;
      return waits_at <= label ? std::optional(waits_at) : std::nullopt;
    }
  }
  return std::nullopt;
}

void scheduler::prefetch(std::size_t rank) const noexcept {
  // Prefetches the frame of a VP some places ahead, and the first message in its inbox.
  constexpr std::size_t ahead = 6;
  if (rank + ahead >= vps_.ranks.last) return;
  const vp_state& x = vps_.at(rank + ahead);
  const auto frame = reinterpret_cast<std::uintptr_t>(x.resume_point.address());  // 0: ended
  __builtin_prefetch(reinterpret_cast<const void*>(frame), 1);
  __builtin_prefetch(reinterpret_cast<const void*>(frame + cache_line), 1);
  __builtin_prefetch(x.inbox);
}

}  // namespace pleat::detail
