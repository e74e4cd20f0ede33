// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/remote_ring.hpp>

#include "engine/vp_rings.hpp"
#include "mail/process_layout.hpp"
#include "processes/link.hpp"
#include "processes/packet.hpp"

namespace pleat::detail {

/// Packets under construction, at most one for each other process.
class outgoing_packets {
 public:
  explicit outgoing_packets(std::size_t processes) : packets_(processes) {}

  /// Returns the packet for a process, which begins with `head` if there was none. Throws:
  /// std::bad_alloc.
  [[nodiscard]] byte_buffer& to(std::size_t process, const packet_head& head) {
    byte_buffer& packet = packets_[process];
    if (packet.empty()) byte_writer(packet).put(head);
    some_ = true;
    return packet;
  }
  /// Sends all packets. Returns their number. Throws: std::bad_alloc.
  std::size_t post(link& over) {
    if (!std::exchange(some_, false)) return 0;
    std::size_t sent = 0;
    for (std::size_t process = 0; process < packets_.size(); ++process) {
      if (packets_[process].empty()) continue;
      over.post(process, packets_[process]);
      packets_[process].clear();
      ++sent;
    }
    return sent;
  }
  void clear() noexcept {
    for (byte_buffer& packet : packets_) packet.clear();
    some_ = false;
  }

 private:
  std::vector<byte_buffer> packets_;  // [process]
  bool some_ = false;
};

/// This process's halves, of one kind, of channels or rings between processes, by their ends. Any
/// thread finds or makes them; worker 0 lists them, which costs a load if none is new. Their
/// addresses do not change until clear.
template <class Ends, class Half> class ring_halves {
 public:
  /// Finds the half between these ends, or makes it as Half(of, arguments…).
  template <class... Arguments>
  [[nodiscard]] Half& find(const Ends& of, const Arguments&... arguments) {
    const std::scoped_lock lock(mutex_);
    auto& made = made_[of];
    if (made == nullptr) {
      auto one = std::make_unique<Half>(of, arguments...);
      new_.push_back(one.get());
      made = std::move(one);
      some_new_.store(true, std::memory_order_release);  // pairs with the acquire in all
    }
    return *made;
  }

  /// Lists all halves. Called by worker 0.
  [[nodiscard]] const std::vector<Half*>& all() {
    // acquire: pairs with the release in find
    if (some_new_.load(std::memory_order_acquire)) {
      const std::scoped_lock lock(mutex_);
      known_.insert(known_.end(), new_.begin(), new_.end());
      new_.clear();
      some_new_.store(false, std::memory_order_relaxed);  // under the mutex, where find sets it
    }
    return known_;
  }

  /// Requires: no other thread is here.
  void clear() noexcept {
    const std::scoped_lock lock(mutex_);
    some_new_.store(false, std::memory_order_relaxed);
    new_.clear();
    known_.clear();
    made_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<Ends, std::unique_ptr<Half>> made_;
  std::vector<Half*> new_;  // new since worker 0's last call of all
  std::atomic<bool> some_new_{false};
  std::vector<Half*> known_;
};

struct run_state;

/// Rings between virtual processors of this process and those of other processes. Each consists of
/// two halves, which are ordinary rings: one in the producer's process and one in the consumer's.
/// So a virtual processor pushes, takes and waits as at any ring; worker 0 of the producer's
/// process takes messages from the first half and sends them, worker 0 of the consumer's process
/// puts them into the second half.
///
/// The sender has a *credit* for each free place of the consumer's half. Taken messages are
/// credited when they are half of its capacity; or, if the sender has no credit left, as soon as
/// the consumer's process has nothing else to do. The consumer's process knows from its own numbers
/// whether the sender has none left.
///
/// Messages may have any size; for messages that lend memory, the contents are sent. Worker 0 takes
/// a message from the producer's half after copying it, so an empty half tells the producer that
/// lent memory is free again. A large message is in memory that the consumer borrows from worker 0
/// until it releases the message.
///
/// Invariant: at most as many messages as a half holds are in transit or in the consumer's half; at
/// most as many are in the producer's half. If no VP continues, the producer's half is empty unless
/// the consumer's half is full. So a program waits for room for ever exactly if it would in one
/// process, whose rings of vp::push hold as many as both halves.
///
/// Cost: worker 0 polls while it waits, and sends all messages that wait for one process in one
/// packet; one section of credits for at most half as many messages as a half holds. A poll costs
/// two loads for each of these rings. Thread safety: `to` and `from` by any thread, `untaken` by
/// the producer's; all else by worker 0 of a run.
class remote_rings {
 public:
  remote_rings(run_state& run, link& over, const process_layout& layout)
      : run_(run), link_(over), layout_(layout), packets_(layout.processes()) {}

  struct ends {
    std::uint32_t source, destination, context;
    friend auto operator<=>(const ends&, const ends&) = default;
  };
  struct producer_half : remote_ring {
    producer_half(const ends& of, const ring_shape& shape)
        : remote_ring(shape.most, shape.messages), between(of) {}
    const ends between;
  };

  /// Begins a run, and drops all of the last one.
  void begin(std::uint64_t number) noexcept;
  /// Requires: VP ends::source is of this process, ends::destination is not.
  [[nodiscard]] remote_ring& to(const ends& of);
  /// Requires: VP ends::destination is of this process, ends::source is not.
  [[nodiscard]] line_ring& from(const ends& of);

  /// Takes a packet that has come from another process in this run.
  void take(std::shared_ptr<const byte_buffer> packet);
  /// Sends pending messages and credits. `idle`: worker 0 has waited for a while. Returns whether
  /// something has changed for which a virtual processor may wait. Throws: std::bad_alloc.
  bool advance(bool idle);

  /// Number of messages of libraries pushed here, less the number taken here. When all virtual
  /// processors have ended, the sum over all processes is the number of messages never taken.
  [[nodiscard]] std::uint64_t untaken();
  /// Credits each message, from now on, as soon as it is taken, to find out which ones never were.
  void settle();
  [[nodiscard]] bool settled() const noexcept { return settled_; }

  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

 private:
  struct consumer_half {
    consumer_half(const ends& of, const ring_shape& shape)
        : between(of), ring(shape.most, shape.messages), held(shape.messages) {}
    ends between;
    line_ring ring;
    std::uint32_t credited = 0;
    std::uint32_t released = 0;  // messages whose memory is released
    std::vector<std::shared_ptr<const byte_buffer>> held;
  };
  /// Header of a message, or of credits without a message. The message begins at a multiple of a
  /// cache line if it is too large for the ring.
  struct section {
    ends between;
    std::uint32_t credits = 0;
    std::uint32_t tag = 0;
    std::uint32_t mark = 0;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] ring_shape half(unsigned context) const noexcept;
  [[nodiscard]] bool send_messages(producer_half& from);
  void send_credits(consumer_half& from, bool idle);
  void put(consumer_half& to, const section& front, const std::byte* data,
           const std::shared_ptr<const byte_buffer>& packet);
  byte_buffer& add(std::size_t other_end, const section& front);
  void wake(std::size_t here) noexcept;

  run_state& run_;
  link& link_;
  const process_layout& layout_;
  ring_halves<ends, producer_half> producers_;
  ring_halves<ends, consumer_half> consumers_;
  std::uint64_t number_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
  outgoing_packets packets_;
  bool changed_ = false;  // by received packets
  bool settled_ = false;
};

}  // namespace pleat::detail
