// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/detail/spsc_counts.hpp>
#include <pleat/runtime/detail/awaited.hpp>
#include <pleat/runtime/detail/vp_channels.hpp>

namespace pleat::detail {

/// Bounded channel of vp::push and vp::pop within a process. A message is a few words, which follow
/// those of the message before.
///
/// Invariant: there is room for the words of as many messages as it holds, whatever their sizes. So
/// the numbers of messages tell what is free.
///
/// Thread safety: one producer, one consumer.
class push_ring {
 public:
  static constexpr std::size_t capacity = 64;  ///< messages

  push_ring() noexcept : counts_(capacity, 0) {}

  [[nodiscard]] bool room() const noexcept { return counts_.room(1) != 0; }
  /// Requires: room().
  void push(const std::uint64_t* words, std::size_t count) noexcept {
    std::size_t& at = counts_.to();
#ifndef NDEBUG
    sizes_[at] = count;
#endif
    for (std::size_t i = 0; i < count; ++i) words_[next(at)] = words[i];
    counts_.publish(1);
  }

  [[nodiscard]] bool ready() const noexcept { return counts_.ready(1) != 0; }
  /// Requires: ready(), a message of `count` words.
  void pop(std::uint64_t* words, std::size_t count) noexcept {
    std::size_t& at = counts_.from();
#ifndef NDEBUG
    assert(sizes_[at] == count && "pop what was pushed");
#endif
    for (std::size_t i = 0; i < count; ++i) words[i] = words_[next(at)];
    counts_.release(1);
  }

 private:
  static constexpr std::size_t all_words = capacity * most_words_of_push;

  /// Returns `at`, which goes on by one word.
  static std::size_t next(std::size_t& at) noexcept {
    const std::size_t now = at;
    at = now + 1 == all_words ? 0 : now + 1;
    return now;
  }

  spsc_counts<std::size_t> counts_;  // with the place of each side's next word
  alignas(destructive_distance) std::array<std::uint64_t, all_words> words_;
#ifndef NDEBUG
  std::array<std::size_t, all_words> sizes_;
#endif
};

[[nodiscard]] inline bool happened(channel_event event, const push_ring& at) noexcept {
  return event == channel_event::room ? at.room() : at.ready();
}

}  // namespace pleat::detail
