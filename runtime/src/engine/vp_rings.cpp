// SPDX-License-Identifier: Apache-2.0
//
// Rings between virtual processors, including those of vp::push and vp::pop.
#include "engine/vp_rings.hpp"

#include <algorithm>
#include <cstring>

#include "engine/other_processes.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

void used_channels::add(std::size_t rank, std::size_t q, const channel& at) {
  if (2 * used_ >= mask_) {
    std::vector<slot> old(std::max<std::size_t>(2 * (mask_ + 1), 8));
    old.swap(memory_);
    slots_ = memory_.data();
    mask_ = memory_.size() - 1;
    for (const slot& s : old) {
      if (used_ > 0 && s.at.ring != nullptr)
        slots_[slot_of(s.ends >> 32, s.ends & 0xffffffffU)] = s;
    }
  }
  slots_[slot_of(rank, q)] = {std::uint64_t{rank} << 32 | q, at};
  ++used_;
}

namespace {

using channel = used_channels::channel;

// The template parameter `Event` denotes the end of a channel, by the event for which it waits:
// room, or a value.

template <channel_event Event> used_channels& used_by(worker& w) {
  return Event == channel_event::room ? w.pushes() : w.pops();
}

template <channel_event Event> line_ring& remote_ring(vp& me, std::size_t q) {
  if constexpr (Event == channel_event::room)
    return vp_access::remote_ring_to(me, q, context_of_push).ring;
  else
    return vp_access::remote_ring_from(me, q, context_of_push);
}

/// Finds the channel under the lock of the run. Only a machine that does not trace remembers it, so
/// that the fast path of the others need not count.
template <channel_event Event> channel first_use(worker& w, vp& me, std::size_t q) {
  const run_state& run = w.run();
  const ring_ends ends = Event == channel_event::room ? ring_ends(me.rank(), q, context_of_push)
                                                      : ring_ends(q, me.rank(), context_of_push);
  const channel made{&run.rings->of_push.find(ends),
                     run.plan->folding.owner(q) - run.plan->first_worker};
  if (!w.counts()) used_by<Event>(w).add(me.rank(), q, made);
  return made;
}

// Pushes if the words are const, else pops.

void transfer(push_ring& to, const std::uint64_t* words, std::size_t count) {
  to.push(words, count);
}
void transfer(push_ring& from, std::uint64_t* words, std::size_t count) { from.pop(words, count); }
void transfer(line_ring& to, const std::uint64_t* words, std::size_t count) {
  const std::size_t bytes = count * sizeof *words;
  to.push(0, 0, static_cast<std::uint32_t>(bytes),
          [&](std::byte* line) { std::memcpy(line, words, bytes); });
}
void transfer(line_ring& from, std::uint64_t* words, std::size_t count) {
  assert(from.front().bytes == count * sizeof *words && "pop what was pushed");
  std::memcpy(words, from.front().data, count * sizeof *words);
  from.pop();
}

template <channel_event Event, class Ring, class Words>
bool try_at(vp& me, Ring& at, Words words, std::size_t count) {
  if (!happened(Event, at) && !vp_access::soon(me, Event, at)) return false;
  transfer(at, words, count);
  return true;
}

/// Counts a value that is being pushed, if the machine traces and there is room.
template <channel_event Event, class Ring>
void count_value(worker& w, const vp& me, std::size_t q, const Ring& at) {
  if (Event == channel_event::room && w.counts() && happened(Event, at)) w.note_push(me.rank(), q);
}

template <channel_event Event, class Words>
bool try_end(vp& me, std::size_t q, Words words, std::size_t count) {
  worker& w = worker_of(vp_access::state(me));
  channel found = used_by<Event>(w).find(me.rank(), q);
  if (found.ring == nullptr) [[unlikely]] {
    if (vp_access::elsewhere(me, q)) {
      line_ring& ring = remote_ring<Event>(me, q);
      count_value<Event>(w, me, q, ring);
      return try_at<Event>(me, ring, words, count);
    }
    found = first_use<Event>(w, me, q);
    count_value<Event>(w, me, q, *found.ring);
  }
  if (!try_at<Event>(me, *found.ring, words, count)) return false;
  if (found.wakes != w.index())
    w.run().sleepers.wake(found.wakes);
  else
    w.waits().happened_to(q);
  return true;
}

template <channel_event Event>
void suspend_at(vp& me, std::size_t q, std::coroutine_handle<> self) {
  const auto suspend = [&](const auto& at) {
    vp_access::suspend(me, self, q, awaited_at(Event, at),
                       Event == channel_event::room ? "push" : "pop");
  };
  worker& w = worker_of(vp_access::state(me));
  const channel found = used_by<Event>(w).find(me.rank(), q);
  if (found.ring != nullptr)
    suspend(*found.ring);
  else if (vp_access::elsewhere(me, q))
    suspend(remote_ring<Event>(me, q));
  else
    suspend(*first_use<Event>(w, me, q).ring);
}

}  // namespace

bool vp_channels::try_push(vp& me, std::size_t q, const std::uint64_t* words, std::size_t count) {
  return try_end<channel_event::room>(me, q, words, count);
}
void vp_channels::suspend_until_room(vp& me, std::size_t q, std::coroutine_handle<> self) {
  suspend_at<channel_event::room>(me, q, self);
}
bool vp_channels::try_pop(vp& me, std::size_t q, std::uint64_t* words, std::size_t count) {
  return try_end<channel_event::value>(me, q, words, count);
}
void vp_channels::suspend_until_value(vp& me, std::size_t q, std::coroutine_handle<> self) {
  suspend_at<channel_event::value>(me, q, self);
}

}  // namespace pleat::detail
