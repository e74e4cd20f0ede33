// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/outbox.hpp>

namespace pleat::detail {

/// Holds the messages that virtual processors which have ended leave for another worker, until that
/// worker collects them.
///
/// Memory ordering: `empty` is relaxed, because a worker that puts an element in arrives at a
/// barrier afterwards, and the collector passes that barrier before it needs the element. The mutex
/// orders the elements. Thread safety: any thread; `clear` while no worker runs.
template <class T> class alignas(destructive_distance) leftovers {
 public:
  /// Throws: std::bad_alloc.
  void put(T one) {
    const std::scoped_lock lock(mutex_);
    content_.push_back(std::move(one));
    empty_.store(false, std::memory_order_relaxed);
  }
  [[nodiscard]] bool empty() const noexcept { return empty_.load(std::memory_order_relaxed); }
  /// Removes the elements for which `take(T&)` returns true.
  template <class Take> void collect(Take&& take) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(content_, take);
    empty_.store(content_.empty(), std::memory_order_relaxed);
  }
  void clear() noexcept {
    content_.clear();
    empty_.store(true, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> empty_{true};
  std::mutex mutex_;
  std::vector<T> content_;
};

/// Mailbox for the messages of one worker to another at one barrier. Short contents are in the
/// mailbox's own cache line, longer ones in a buffer. While the mailbox is full, its records own
/// the memory to which they refer.
///
/// Memory ordering: that of the barrier. The sender fills the mailbox before it arrives; the
/// receiver empties it before it arrives at the next barrier; the sender refills it after that
/// barrier. So all accesses of `epoch` are relaxed.
struct alignas(destructive_distance) mailbox {
  static constexpr std::size_t small = 40;

  std::atomic<std::uint64_t> epoch{0};  // epoch of the barrier; 0: taken
  std::size_t bytes = 0;
  const std::byte* large = nullptr;  // null: `inlined` has the bytes
  alignas(8) std::byte inlined[small];
  byte_buffer buffer;  // owned by the sender; `large` points into it

  [[nodiscard]] const std::byte* data() const noexcept {
    return large != nullptr ? large : inlined;
  }
  /// Hands over the contents of `buffer`. Called by the sender.
  void fill(std::uint64_t at_epoch) noexcept {
    bytes = buffer.size();
    large = bytes <= small ? nullptr : buffer.begin();
    if (large == nullptr) std::memcpy(inlined, buffer.begin(), bytes);
    epoch.store(at_epoch, std::memory_order_relaxed);
  }
  /// Tells whether the mailbox was filled for this barrier. Called by the receiver.
  [[nodiscard]] bool is_full(std::uint64_t at_epoch) const noexcept {
    return epoch.load(std::memory_order_relaxed) == at_epoch;
  }
  /// Records that the bytes were copied. Called by the receiver.
  void taken() noexcept { epoch.store(0, std::memory_order_relaxed); }
  /// Empties the mailbox. Called by the sender. Usually the receiver has taken the messages before,
  /// but not if all of its VPs had ended.
  void discard() noexcept {
    if (epoch.load(std::memory_order_relaxed) == 0) return;
    discard_payloads(data(), data() + bytes);
    taken();
  }
};
static_assert(offsetof(mailbox, buffer) == cache_line, "what the receiver reads is one line");

/// Messages to another worker from VPs that have all ended, so that none of them comes to the
/// barrier that would deliver the messages. The receiver collects them at the first barrier of a
/// shared cluster without these VPs: one whose epoch is later than the cluster's last_arrival.
struct last_arrival {
  std::uint32_t label, first;  // of the cluster: its label and its first VP
  std::uint64_t epoch;         // number of arrivals in this run
};
struct leftover {
  outbox messages;
  std::vector<last_arrival> last_arrivals;
};

/// Mailboxes between the members of a cluster: two from each member to each other member, made at
/// the first send between them.
///
/// One of the two is filled while the other may still be read: a member arrives at epoch e + 2 only
/// after the receiver has arrived at e + 1, and so has taken the messages of e.
///
/// With many members, a receiver does not check all mailboxes at each barrier. The senders form
/// groups, and for each receiver and group there is a notice: the epoch at which a sender of the
/// group last filled a mailbox for the receiver. Senders of a group write the same epoch.
///
/// Memory ordering: that of the barrier, as for a mailbox. A notice is relaxed. A receiver that
/// sees a pair made for a later epoch sees it empty (release, acquire).
/// Thread safety: each sender writes its own mailboxes, each receiver reads the ones addressed to
/// it.
class mailboxes {
 public:
  explicit mailboxes(std::size_t members)
      : members_(members), pairs_(members * members), notices_(members > few ? members : 0) {
    for (auto& of_receiver : notices_)
      of_receiver = std::make_unique<notice[]>((members - 1) / group + 1);
  }
  mailboxes(const mailboxes&) = delete;
  mailboxes& operator=(const mailboxes&) = delete;
  ~mailboxes() {
    for (const std::atomic<pair*>& place : pairs_) delete place.load(std::memory_order_relaxed);
  }

  /// The mailbox for an epoch. Called by the sender. Throws: std::bad_alloc.
  [[nodiscard]] mailbox& of_sender(std::size_t from, std::size_t to, std::uint64_t epoch) {
    std::atomic<pair*>& place = pairs_[from * members_ + to];
    pair* both = place.load(std::memory_order_relaxed);
    if (both == nullptr) [[unlikely]] {
      both = new pair;
      place.store(both, std::memory_order_release);
    }
    return (*both)[epoch & 1];
  }
  /// Notifies the receiver, before the sender arrives at the epoch, that its mailbox has been
  /// filled.
  void announce(std::size_t from, std::size_t to, std::uint64_t epoch) noexcept {
    if (!notices_.empty())
      notices_[to][from / group].epochs[epoch & 1].store(epoch, std::memory_order_relaxed);
  }
  /// Calls full(mailbox) for the mailboxes that were filled for this receiver and epoch, in the
  /// order of the senders, and itself() at the receiver's own place. Called by the receiver.
  /// Cost: members/16 notices, and 16 mailboxes for each group that has sent.
  template <class Full, class Itself>
  void for_each_full(std::size_t to, std::uint64_t epoch, const Full& full, const Itself& itself) {
    const auto look = [&](std::size_t first, std::size_t last) {
      for (std::size_t from = first; from < last; ++from) {
        pair* const both = pairs_[from * members_ + to].load(std::memory_order_acquire);
        if (both != nullptr && (*both)[epoch & 1].is_full(epoch)) full((*both)[epoch & 1]);
      }
    };
    if (notices_.empty()) {
      look(0, to);
      itself();
      return look(to + 1, members_);
    }
    for (std::size_t first = 0; first < members_; first += group) {
      const std::size_t last = std::min(first + group, members_);
      const bool own = first <= to && to < last;
      const bool sent =
          notices_[to][first / group].epochs[epoch & 1].load(std::memory_order_relaxed) == epoch;
      if (sent) look(first, own ? to : last);
      if (!own) continue;
      itself();
      if (sent) look(to + 1, last);
    }
  }
  /// Frees the messages of a sender that were not received. Requires that no member runs.
  void discard_from(std::size_t from) noexcept {
    for (std::size_t to = 0; to < members_; ++to) {
      pair* const both = pairs_[from * members_ + to].load(std::memory_order_relaxed);
      if (both == nullptr) continue;
      for (mailbox& box : *both) box.discard();
    }
  }

 private:
  /// Number of members up to which mailboxes are checked one by one.
  static constexpr std::size_t few = 8;
  /// Number of senders that share a notice.
  static constexpr std::size_t group = 16;

  using pair = std::array<mailbox, 2>;
  struct alignas(destructive_distance) notice {
    std::array<std::atomic<std::uint64_t>, 2> epochs{};
  };

  std::size_t members_;
  std::vector<std::atomic<pair*>> pairs_;           // [from][to]; null until the first message
  std::vector<std::unique_ptr<notice[]>> notices_;  // [to][group of senders]; empty for few
};

}  // namespace pleat::detail
