// SPDX-License-Identifier: Apache-2.0
#include "processes/remote_rings.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include <pleat/channels/cache_line.hpp>

#include "engine/run_state.hpp"

namespace pleat::detail {

namespace {

/// Padding before a message that its receiver reads in place.
std::size_t padding_of(std::size_t offset, std::size_t bytes, const line_ring& ring) noexcept {
  return bytes <= ring.most() ? 0 : (cache_line - offset % cache_line) % cache_line;
}

}  // namespace

void remote_rings::begin(std::uint64_t number) noexcept {
  number_ = number;
  sent_ = received_ = 0;
  producers_.clear();
  consumers_.clear();
  packets_.clear();
  changed_ = settled_ = false;
}

ring_shape remote_rings::half(unsigned context) const noexcept {
  return shape_of_rings(run_.plan->folding, context);
}

remote_ring& remote_rings::to(const ends& of) { return producers_.find(of, half(of.context)); }

line_ring& remote_rings::from(const ends& of) { return consumers_.find(of, half(of.context)).ring; }

void remote_rings::wake(std::size_t here) noexcept {
  const std::size_t owner = run_.plan->folding.owner(here) - run_.plan->first_worker;
  if (owner != 0) run_.sleepers.wake(owner);
}

void remote_rings::take(std::shared_ptr<const byte_buffer> packet) {
  ++received_;
  byte_reader content(*packet);
  content.skip(sizeof(packet_head));
  while (!content.at_end()) {
    const auto front = content.take<section>();
    if (front.credits != 0) {
      producers_.find(front.between, half(front.between.context)).credited += front.credits;
      changed_ = true;
      continue;
    }
    consumer_half& to = consumers_.find(front.between, half(front.between.context));
    const auto offset = static_cast<std::size_t>(content.skip(0) - packet->begin());
    const auto bytes = static_cast<std::size_t>(front.bytes);
    content.skip(padding_of(offset, bytes, to.ring));
    const std::byte* const data = content.skip(padded(bytes));
    put(to, front, data, packet);
    wake(front.between.destination);
    changed_ = true;
  }
}

void remote_rings::put(consumer_half& to, const section& front, const std::byte* data,
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

bool remote_rings::advance(bool idle) {
  bool changed = std::exchange(changed_, false);
  for (producer_half* const from : producers_.all()) changed |= send_messages(*from);
  for (consumer_half* const from : consumers_.all()) send_credits(*from, idle);
  sent_ += packets_.post(link_);
  return changed;
}

byte_buffer& remote_rings::add(std::size_t other_end, const section& front) {
  packet_head head;
  head.run = number_;
  head.v = static_cast<std::uint32_t>(run_.plan->folding.vps());
  head.kind = packet_kind::ring;
  const std::size_t process = layout_.process_of(run_.plan->folding.owner(other_end));
  byte_buffer& packet = packets_.to(process, head);
  byte_writer(packet).put(front);
  return packet;
}

bool remote_rings::send_messages(producer_half& from) {
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

void remote_rings::send_credits(consumer_half& from, bool idle) {
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

std::uint64_t remote_rings::untaken() {
  std::uint64_t count = 0;
  for (const producer_half* const from : producers_.all())
    count += from->between.context == context_of_push ? 0 : from->ring.pushed();
  for (const consumer_half* const to : consumers_.all())
    count -= to->between.context == context_of_push ? 0 : to->ring.taken();
  return count;
}

void remote_rings::settle() {
  settled_ = true;
  changed_ |= advance(true);
}

}  // namespace pleat::detail
