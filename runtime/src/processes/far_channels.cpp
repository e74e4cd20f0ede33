// SPDX-License-Identifier: Apache-2.0
#include "processes/far_channels.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>

#include "engine/run_state.hpp"

namespace pleat::detail {

static_assert(2 * far_channels::half == vp_channels::capacity);

void far_channels::begin(std::uint64_t number) noexcept {
  number_ = number;
  sent_ = received_ = 0;
  clear();
}

void far_channels::clear() noexcept {
  producers_.clear();
  consumers_.clear();
  packets_.clear();
  changed_ = false;
}

vp_channel& far_channels::to(std::size_t source, std::size_t destination) {
  return producers_
      .find({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(destination)})
      .values;
}

vp_channel& far_channels::from(std::size_t source, std::size_t destination) {
  return consumers_
      .find({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(destination)})
      .values;
}

void far_channels::wake(std::size_t here) noexcept {
  const std::size_t owner = run_.plan->folding.owner(here) - run_.plan->first_worker;
  if (owner != 0) run_.sleepers.wake(owner);
}

void far_channels::take(byte_reader content) {
  ++received_;
  while (!content.at_end()) {
    const auto front = content.take<section>();
    if (front.credits != 0) {
      producers_.find(front.between).credits += front.credits;
      continue;
    }
    consumer_half& to = consumers_.find(front.between);
    std::array<slot, half> values;
    const std::size_t bytes = front.values * sizeof(slot);
    std::memcpy(values.data(), content.skip(bytes), bytes);
    [[maybe_unused]] const std::size_t pushed =
        to.values.try_push(std::span(values.data(), front.values));
    assert(pushed == front.values && "the sender has a credit for each");
    to.received += front.values;
    wake(front.between.destination);
    changed_ = true;
  }
}

bool far_channels::advance(bool idle) {
  bool changed = std::exchange(changed_, false);
  for (producer_half* const from : producers_.all()) changed |= send_values(*from);
  for (consumer_half* const from : consumers_.all()) send_credits(*from, idle);
  sent_ += packets_.post(link_);
  return changed;
}

byte_buffer& far_channels::add(std::size_t other_end, const section& front) {
  packet_head head;
  head.run = number_;
  head.v = static_cast<std::uint32_t>(run_.plan->folding.vps());
  head.kind = packet_kind::channel;
  const std::size_t rank = layout_.rank_of(run_.plan->folding.owner(other_end));
  byte_buffer& packet = packets_.to(rank, head);
  byte_writer(packet).put(front);
  return packet;
}

bool far_channels::send_values(producer_half& from) {
  const std::size_t count = std::min(from.credits, from.values.size());
  if (count == 0) return false;
  byte_buffer& packet =
      add(from.between.destination, {from.between, 0, static_cast<std::uint32_t>(count)});
  std::array<slot, half> values;
  [[maybe_unused]] const std::size_t popped = from.values.try_pop(std::span(values.data(), count));
  assert(popped == count);
  std::memcpy(packet.append(count * sizeof(slot)), values.data(), count * sizeof(slot));
  from.credits -= count;
  wake(from.between.source);
  return true;
}

void far_channels::send_credits(consumer_half& from, bool idle) {
  const std::uint64_t owed = from.popped() - from.credited;
  const bool starved = from.received - from.credited == half;
  if (owed < half / 2 && !(idle && starved && owed != 0)) return;
  add(from.between.source, {from.between, static_cast<std::uint32_t>(owed), 0});
  from.credited += owed;
}

}  // namespace pleat::detail
