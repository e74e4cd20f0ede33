// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/rings.hpp>

#include "engine/run_state.hpp"
#include "engine/vp_rings.hpp"
#include "mail/run_plan.hpp"
#include "processes/link.hpp"
#include "processes/wire.hpp"

namespace pleat::detail {

/// Rings between virtual processors of this process and those of other processes: two halves, which
/// are ordinary rings, in the producer's process and in the consumer's. Worker 0 of each moves
/// messages from the first half to the second.
///
/// The sender has a *credit* for each free place of the consumer's half. Taken messages are
/// credited when they are half of its capacity; or, if the sender has no credit left, which the
/// consumer's process knows from its own numbers, as soon as that has nothing else to do.
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

  struct producer_half : remote_ring {
    producer_half(const ring_ends& of, const ring_shape& shape)
        : remote_ring(shape.most, shape.messages), between(of) {}
    const ring_ends between;
  };

  /// Begins a run, and drops all of the last one.
  void begin(std::uint64_t number) noexcept {
    number_ = number;
    sent_ = received_ = 0;
    producers_.clear();
    consumers_.clear();
    for (byte_buffer& packet : packets_) packet.clear();
    some_ = changed_ = settled_ = false;
  }
  /// Requires: VP ring_ends::source is of this process, ring_ends::destination is not.
  [[nodiscard]] remote_ring& to(const ring_ends& of) { return half(producers_, of); }
  /// Requires: VP ring_ends::destination is of this process, ring_ends::source is not.
  [[nodiscard]] line_ring& from(const ring_ends& of) { return half(consumers_, of).ring; }

  /// Takes a packet that has come from another process in this run.
  void take(std::shared_ptr<const byte_buffer> packet) {
    ++received_;
    byte_reader content = content_of(*packet);
    while (!content.at_end()) {
      const auto front = content.take<section>();
      if (front.credits != 0) {
        half(producers_, front.between).credited += front.credits;
        changed_ = true;
        continue;
      }
      consumer_half& to = half(consumers_, front.between);
      const auto offset = static_cast<std::size_t>(content.skip(0) - packet->begin());
      const auto bytes = static_cast<std::size_t>(front.bytes);
      content.skip(padding_of(offset, bytes, to.ring));
      const std::byte* const data = content.skip(padded(bytes));
      put(to, front, data, packet);
      wake(front.between.destination);
      changed_ = true;
    }
  }
  /// Sends pending messages and credits. `idle`: worker 0 has waited for a while. Returns whether
  /// something has changed for which a virtual processor may wait. Throws: std::bad_alloc.
  bool advance(bool idle) {
    bool changed = std::exchange(changed_, false);
    for (producer_half* const from : producers_.all()) changed |= send_messages(*from);
    for (consumer_half* const from : consumers_.all()) send_credits(*from, idle);
    for (std::size_t process = 0; some_ && process < packets_.size(); ++process) {
      if (packets_[process].empty()) continue;
      link_.post(process, packets_[process]);
      packets_[process].clear();
      ++sent_;
    }
    some_ = false;
    return changed;
  }

  /// Number of messages of libraries pushed here, less the number taken here. When all virtual
  /// processors have ended, the sum over all processes is the number of messages never taken.
  [[nodiscard]] std::uint64_t untaken() {
    std::uint64_t count = 0;
    for (const producer_half* const from : producers_.all())
      count += from->between.context == context_of_push ? 0 : from->ring.pushed();
    for (const consumer_half* const to : consumers_.all())
      count -= to->between.context == context_of_push ? 0 : to->ring.taken();
    return count;
  }
  /// Credits each message, from now on, as soon as it is taken, to find out which ones never were.
  void settle() {
    settled_ = true;
    changed_ |= advance(true);
  }
  [[nodiscard]] bool settled() const noexcept { return settled_; }

  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

 private:
  struct consumer_half {
    consumer_half(const ring_ends& of, const ring_shape& shape)
        : between(of), ring(shape.most, shape.messages), held(shape.messages) {}
    ring_ends between;
    line_ring ring;
    std::uint32_t credited = 0;
    std::uint32_t released = 0;  // messages whose memory is released
    std::vector<std::shared_ptr<const byte_buffer>> held;
  };
  /// Header of a message, or of credits without a message. The message begins at a multiple of a
  /// cache line if it is too large for the ring.
  struct section {
    ring_ends between;
    std::uint32_t credits = 0;
    std::uint32_t tag = 0;
    std::uint32_t mark = 0;
    std::uint64_t bytes = 0;
  };

  /// Padding before a message that its receiver reads in place.
  static std::size_t padding_of(std::size_t offset, std::size_t bytes,
                                const line_ring& ring) noexcept {
    return bytes <= ring.most() ? 0 : (cache_line - offset % cache_line) % cache_line;
  }
  template <class Half> [[nodiscard]] Half& half(ring_table<Half>& in, const ring_ends& of) const {
    return in.find(of, of, shape_of_rings(run_.plan->folding, of.context));
  }
  [[nodiscard]] bool send_messages(producer_half& from) {
    bool some = false;
    // Messages that were taken from this half are the ones that were sent.
    while (from.ring.ready() && from.ring.taken() - from.credited < from.ring.holds()) {
      const line_ring::message m = from.ring.front();
      lent_memory lent{m.data, m.bytes};
      if ((m.mark & lends) != 0) std::memcpy(&lent, m.data, sizeof lent);
      section front;
      front.between = from.between;
      front.tag = m.tag;
      front.mark = m.mark & ~std::uint32_t{lends};
      front.bytes = lent.bytes;
      byte_buffer& packet = add(from.between.destination, front);
      const auto bytes = static_cast<std::size_t>(lent.bytes);
      const std::size_t padding = padding_of(packet.size(), bytes, from.ring);
      std::byte* const to = packet.append(padding + padded(bytes));
      std::memset(to, 0, padding);
      if (bytes != 0) std::memcpy(to + padding, lent.data, bytes);
      std::memset(to + padding + bytes, 0, padded(bytes) - bytes);
      from.tags[from.ring.taken() % from.ring.holds()] = m.tag;
      from.ring.pop();
      some = true;
    }
    if (some) wake(from.between.source);
    return some;
  }
  void send_credits(consumer_half& from, bool idle) {
    const std::uint32_t taken = from.ring.taken();
    for (; from.released != taken; ++from.released)
      from.held[from.released % from.ring.holds()] = nullptr;
    const std::uint32_t owed = taken - from.credited;
    const bool starved = from.ring.pushed() - from.credited == from.ring.holds();
    if (owed == 0) return;
    if (owed < from.ring.holds() / 2 && !(idle && starved) && !settled_) return;
    section front;
    front.between = from.between;
    front.credits = owed;
    add(from.between.source, front);
    from.credited += owed;
  }
  void put(consumer_half& to, const section& front, const std::byte* data,
           const std::shared_ptr<const byte_buffer>& packet) {
    assert(to.ring.room() && "the sender has a credit for it");
    const auto mark = static_cast<std::uint16_t>(front.mark);
    if (front.bytes <= to.ring.most()) {
      const auto bytes = static_cast<std::uint32_t>(front.bytes);
      return to.ring.push(front.tag, mark, bytes, [&](std::byte* line) {
        if (bytes != 0) std::memcpy(line, data, bytes);
      });
    }
    to.held[to.ring.pushed() % to.ring.holds()] = packet;
    const lent_memory lent{data, front.bytes};
    to.ring.push(front.tag, mark | lends, sizeof lent,
                 [&](std::byte* line) { std::memcpy(line, &lent, sizeof lent); });
  }
  byte_buffer& add(std::size_t other_end, const section& front) {
    const std::size_t process = layout_.process_of(run_.plan->folding.owner(other_end));
    byte_buffer& packet = packets_[process];
    byte_writer to(packet);
    if (packet.empty())
      to.put(packet_head{.run = number_,
                         .v = static_cast<std::uint32_t>(run_.plan->folding.vps()),
                         .kind = packet_kind::ring});
    to.put(front);
    some_ = true;
    return packet;
  }
  void wake(std::size_t here) noexcept {
    const std::size_t owner = run_.plan->folding.owner(here) - run_.plan->first_worker;
    if (owner != 0) run_.sleepers.wake(owner);
  }

  run_state& run_;
  link& link_;
  const process_layout& layout_;
  ring_table<producer_half> producers_;
  ring_table<consumer_half> consumers_;
  std::uint64_t number_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
  std::vector<byte_buffer> packets_;  // [process]: under construction
  bool some_ = false;                 // of them are not empty
  bool changed_ = false;              // by received packets
  bool settled_ = false;
};

}  // namespace pleat::detail
