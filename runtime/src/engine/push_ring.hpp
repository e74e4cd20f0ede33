// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/detail/spsc_ends.hpp>
#include <pleat/runtime/detail/awaited.hpp>
#include <pleat/runtime/detail/vp_channels.hpp>

namespace pleat::detail {

/// Bounded channel of vp::push and vp::pop within a process. A message is a few words, stored
/// behind those of the previous message.
///
/// Invariant: the ring has room for the words of `capacity` messages of any size. So the number of
/// messages alone determines whether there is room.
///
/// Thread safety: one producer, one consumer.
class push_ring {
 public:
  static constexpr std::size_t capacity = 64;  ///< messages

  push_ring() noexcept : ends_({}) {}

  [[nodiscard]] bool room() const noexcept { return ends_.room(1) != 0; }
  /// Requires: room().
  void push(const std::uint64_t* words, std::size_t count) noexcept {
    const std::uint64_t tail = ends_.tail();
#ifndef NDEBUG
    sizes_[place(tail)] = count;
#endif
    for (std::size_t i = 0; i < count; ++i) words_[place(tail + i)] = words[i];
    ends_.publish(after(tail, count));
  }

  [[nodiscard]] bool ready() const noexcept { return ends_.ready(1) != 0; }
  /// Requires: ready(); the message has `count` words.
  void pop(std::uint64_t* words, std::size_t count) noexcept {
    const std::uint64_t head = ends_.head();
#ifndef NDEBUG
    assert(sizes_[place(head)] == count && "pop what was pushed");
#endif
    for (std::size_t i = 0; i < count; ++i) words[i] = words_[place(head + i)];
    ends_.release(after(head, count));
  }

 private:
  static constexpr std::size_t all_words = std::bit_ceil(capacity * most_words_of_push);

  /// Layout of positions: the number of earlier messages, and in the low bits the place of the next
  /// word.
  struct order {
    static constexpr std::size_t capacity = push_ring::capacity;

    [[nodiscard]] static std::size_t between(std::uint64_t from, std::uint64_t to) noexcept {
      return to / all_words - from / all_words;
    }
  };
  static std::size_t place(std::uint64_t at) noexcept { return at % all_words; }
  static std::uint64_t after(std::uint64_t at, std::size_t count) noexcept {
    return (at / all_words + 1) * all_words + place(at + count);
  }

  spsc_ends<order> ends_;
  alignas(destructive_distance) std::array<std::uint64_t, all_words> words_;
#ifndef NDEBUG
  std::array<std::size_t, all_words> sizes_;
#endif
};

[[nodiscard]] inline bool happened(channel_event event, const push_ring& at) noexcept {
  return event == channel_event::room ? at.room() : at.ready();
}

}  // namespace pleat::detail
