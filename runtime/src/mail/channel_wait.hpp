// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <pleat/runtime/detail/byte_buffer.hpp>
#include <pleat/runtime/detail/rings.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// Memory of messages that a virtual processor has received, and may read until its next sync.
struct spent_memory {
  std::vector<void*> blocks;
  std::vector<std::shared_ptr<byte_buffer>> pools;  // refilled while the VP waited at a channel

  [[nodiscard]] bool empty() const noexcept { return blocks.empty() && pools.empty(); }
  void release() noexcept;
};

/// A virtual processor that waits at a channel.
struct channel_wait {
  std::size_t rank;
  std::size_t peer;  // the VP at the other end
  awaited what;
  std::string_view operation;  // in which it waits, for the message of a deadlock
  spent_memory spent;
  std::size_t reach = 0;  // strict mode: reach of its sends in this superstep

  [[nodiscard]] bool ready() const { return what(); }
};

/// Virtual processors of one worker that wait at channels. The worker polls for events at the other
/// ends, a few at a time. If the other end is on the same worker, it reports the event, and the
/// waiting VP is found without a search.
class channel_waits {
 public:
  /// Number of waits that a poll of some of them checks.
  static constexpr std::size_t some = 8;

  /// Begins a run in which the worker has these VPs; none waits.
  void start(rank_range ranks) noexcept {
    ranks_ = ranks;
    places_.clear();
    oldest_ = newest_ = nobody;
  }
  /// Throws: std::bad_alloc.
  channel_wait& add(channel_wait&& wait) {
    if (places_.empty()) places_.resize(ranks_.size());
    const std::size_t rank = wait.rank;
    channel_wait& added = waits_.emplace_back(std::move(wait));
    place_of(rank).at = static_cast<std::uint32_t>(waits_.size() - 1);
    return added;
  }
  /// Reports an event at a channel of VP `rank`, caused by a VP of this worker.
  void happened_to(std::size_t rank) noexcept {
    if (waits_.empty()) return;
    place& of = place_of(rank);
    if (of.at == nobody || of.next != not_told) return;
    of.next = nobody;
    const auto index = static_cast<std::uint32_t>(rank - ranks_.first);
    (newest_ == nobody ? oldest_ : places_[newest_].next) = index;
    newest_ = index;
  }

  /// Tells whether a wait is ready, among all or only some; each call polls the next ones.
  [[nodiscard]] bool any_ready(std::size_t polled = some) noexcept {
    if (oldest_ != nobody) return true;
    for (std::size_t left = std::min(polled, waits_.size()); left != 0; --left, ++next_) {
      if (next_ >= waits_.size()) next_ = 0;
      if (waits_[next_].ready()) return true;
    }
    return false;
  }
  /// Removes and returns a wait whose event has happened, if the event was reported or some polls
  /// find it.
  [[nodiscard]] std::optional<channel_wait> take_ready() {
    while (oldest_ != nobody) {
      place& of = places_[oldest_];
      oldest_ = std::exchange(of.next, not_told);
      if (oldest_ == nobody) newest_ = nobody;
      if (of.at != nobody && waits_[of.at].ready()) return take(of.at);
    }
    if (any_ready()) return take(next_);
    return std::nullopt;
  }
  /// Removes all waits and frees the memory of their messages.
  void clear() noexcept {
    for (channel_wait& wait : waits_) wait.spent.release();
    waits_.clear();
  }

  [[nodiscard]] bool empty() const noexcept { return waits_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return waits_.size(); }
  [[nodiscard]] auto begin() noexcept { return waits_.begin(); }
  [[nodiscard]] auto end() noexcept { return waits_.end(); }
  [[nodiscard]] auto begin() const noexcept { return waits_.begin(); }
  [[nodiscard]] auto end() const noexcept { return waits_.end(); }

 private:
  // Ranks are less than 2^32 − 2.
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t not_told = nobody - 1;

  /// Place of a VP in waits_, and the VP whose event was reported after its event.
  struct place {
    std::uint32_t at = nobody, next = not_told;
  };
  [[nodiscard]] place& place_of(std::size_t rank) noexcept { return places_[rank - ranks_.first]; }

  channel_wait take(std::size_t at) {
    channel_wait taken(std::move(waits_[at]));
    place_of(taken.rank).at = nobody;
    if (at + 1 != waits_.size()) {
      waits_[at] = std::move(waits_.back());
      place_of(waits_[at].rank).at = static_cast<std::uint32_t>(at);
    }
    waits_.pop_back();
    return taken;
  }

  std::vector<channel_wait> waits_;
  std::size_t next_ = 0;  // the wait to poll first
  rank_range ranks_;
  std::vector<place> places_;  // [rank − ranks_.first]; empty if no VP has waited
  // Indices in places_ of the first and the last VP whose events were reported, in the order of
  // reports.
  std::uint32_t oldest_ = nobody, newest_ = nobody;
};

}  // namespace pleat::detail
