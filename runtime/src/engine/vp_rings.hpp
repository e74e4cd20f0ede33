// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/detail/spsc_ends.hpp>
#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/rings.hpp>
#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/detail/vp_channels.hpp>
#include <pleat/runtime/fold.hpp>

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

/// Context of vp::push and vp::pop, besides those of libraries (see vp_access). Two virtual
/// processors have one ring for each context.
inline constexpr unsigned context_of_push = vp_access::contexts;

/// Capacity of the rings of a context.
struct ring_shape {
  std::size_t most;  // bytes of a message
  std::uint32_t messages;
};
[[nodiscard]] inline ring_shape shape_of_rings(const fold& folding, unsigned context) noexcept {
  // Two halves in two processes hold as many messages as a ring in one process.
  if (context == context_of_push) return {line_ring::in_line, push_ring::capacity / 2};
  constexpr std::size_t many = 64;
  const bool folded = folding.vps() > folding.processors();
  return {folded && folding.vps() > many ? line_ring::in_line : line_ring::largest,
          line_ring::capacity};
}

/// Virtual processors at the ends of a ring, and its context.
struct ring_ends {
  ring_ends() = default;
  ring_ends(std::size_t from, std::size_t to, unsigned in) noexcept
      : source(static_cast<std::uint32_t>(from)),
        destination(static_cast<std::uint32_t>(to)),
        context(in) {}
  friend bool operator==(const ring_ends&, const ring_ends&) = default;

  std::uint32_t source = 0, destination = 0, context = 0;
};

/// Rings of one kind, or halves of them, by their ends. The end that uses a ring first makes it.
/// Addresses do not change until clear. Thread safety: find by any thread.
template <class Ring> class ring_table {
 public:
  /// Finds the ring between these ends, or makes it of the arguments. Throws: std::bad_alloc.
  template <class... Arguments>
  [[nodiscard]] Ring& find(const ring_ends& of, const Arguments&... arguments) {
    const std::scoped_lock lock(mutex_);
    auto& made = made_[of];
    if (made == nullptr) {
      auto one = std::make_unique<Ring>(arguments...);
      new_.push_back(one.get());
      made = std::move(one);
      some_new_.store(true, std::memory_order_relaxed);  // the mutex orders what is in the lists
    }
    return *made;
  }
  /// Lists all rings, for one thread. Cost: a load if none is new.
  [[nodiscard]] const std::vector<Ring*>& all() {
    if (some_new_.load(std::memory_order_relaxed)) {
      const std::scoped_lock lock(mutex_);
      known_.insert(known_.end(), new_.begin(), new_.end());
      new_.clear();
      some_new_.store(false, std::memory_order_relaxed);
    }
    return known_;
  }
  /// Requires: no other thread is here.
  void clear() noexcept {
    if (made_.empty()) return;
    some_new_.store(false, std::memory_order_relaxed);
    new_.clear();
    known_.clear();
    made_.clear();
  }

 private:
  struct hash {
    std::size_t operator()(const ring_ends& of) const noexcept {
      return (std::uint64_t{of.source} << 32 | of.destination) * 0x9e3779b97f4a7c15U + of.context;
    }
  };

  std::mutex mutex_;
  std::unordered_map<ring_ends, std::unique_ptr<Ring>, hash> made_;
  std::vector<Ring*> new_;  // since the last call of all
  std::atomic<bool> some_new_{false};
  std::vector<Ring*> known_;
};

/// Rings between the virtual processors of one run in one process.
struct vp_rings {
  ring_table<line_ring> of_libraries;
  ring_table<push_ring> of_push;

  void clear() noexcept {
    of_libraries.clear();
    of_push.clear();
  }
};

/// Hash table, without a lock, of the channels of vp::push, or of vp::pop, that the virtual
/// processors of one worker have used in this run.
///
/// Thread safety: one thread.
class used_channels {
 public:
  struct channel {
    push_ring* ring = nullptr;
    std::size_t wakes = 0;  ///< worker of the virtual processor at the other end
  };

  /// The channel of VP `rank` with q; it has no ring before its first use.
  [[nodiscard]] channel find(std::size_t rank, std::size_t q) const noexcept {
    return slots_[slot_of(rank, q)].at;
  }
  /// Adds a channel. Requires: find returns no ring. Throws: std::bad_alloc, and then changes
  /// nothing.
  void add(std::size_t rank, std::size_t q, const channel& at);
  void clear() noexcept {
    if (used_ == 0) return;
    slots_ = &none_;
    mask_ = used_ = 0;
  }

 private:
  struct slot {
    std::uint64_t ends = 0;
    channel at;
  };

  /// Index of the slot of this pair, or of an empty slot.
  [[nodiscard]] std::size_t slot_of(std::size_t rank, std::size_t q) const noexcept {
    const std::uint64_t ends = std::uint64_t{rank} << 32 | q;
    std::size_t s = ends * 0x9e3779b97f4a7c15U >> 32;
    while (s &= mask_, slots_[s].at.ring != nullptr && slots_[s].ends != ends) ++s;
    return s;
  }

  slot none_;  // stays empty
  slot* slots_ = &none_;
  std::size_t mask_ = 0;  // number of slots, a power of two, less 1; at most half are used
  std::size_t used_ = 0;
  std::vector<slot> memory_;
};

}  // namespace pleat::detail
