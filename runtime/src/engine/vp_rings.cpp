// SPDX-License-Identifier: Apache-2.0
// The rings between virtual processors, and those of vp::push and pop among them.
#include "engine/vp_rings.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include <pleat/runtime/detail/vp_channels.hpp>

#include "engine/other_processes.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

line_ring& vp_rings::between(std::size_t source, std::size_t destination, unsigned context,
                             const fold& folding) {
  const std::scoped_lock lock(mutex_);
  some_made_ = true;
  auto& made = rings_[context][std::uint64_t{source} << 32 | destination];
  if (made == nullptr) {
    const ring_shape shape = shape_of_rings(folding, context);
    made = std::make_unique<line_ring>(shape.most, shape.messages);
  }
  return *made;
}

push_ring& vp_rings::of_push(std::size_t source, std::size_t destination) {
  const std::scoped_lock lock(mutex_);
  some_made_ = true;
  auto& made = of_push_[std::uint64_t{source} << 32 | destination];
  if (made == nullptr) made = std::make_unique<push_ring>();
  return *made;
}

void vp_rings::clear() {
  if (!std::exchange(some_made_, false)) return;
  for (auto& of_context : rings_) of_context.clear();
  of_push_.clear();
}

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

// Ends of a channel: each has its name, its channels and its event.
struct push_end {
  static constexpr channel_event event = channel_event::room;
  static used_channels& used(worker& w) { return w.pushes(); }
  static push_ring& made(worker& w, std::size_t me, std::size_t q) {
    return w.run().rings->of_push(me, q);
  }
  static line_ring& remote(vp& me, std::size_t q) {
    return vp_access::remote_ring_to(me, q, context_of_push).ring;
  }
  static void act(push_ring& at, const std::uint64_t* words, std::size_t count) {
    at.push(words, count);
  }
  static void act(line_ring& at, const std::uint64_t* words, std::size_t count) {
    const std::size_t bytes = count * sizeof *words;
    at.push(0, 0, static_cast<std::uint32_t>(bytes),
            [&](std::byte* line) { std::memcpy(line, words, bytes); });
  }
};
struct pop_end {
  static constexpr channel_event event = channel_event::value;
  static used_channels& used(worker& w) { return w.pops(); }
  static push_ring& made(worker& w, std::size_t me, std::size_t q) {
    return w.run().rings->of_push(q, me);
  }
  static line_ring& remote(vp& me, std::size_t q) {
    return vp_access::remote_ring_from(me, q, context_of_push);
  }
  static void act(push_ring& at, std::uint64_t* words, std::size_t count) { at.pop(words, count); }
  static void act(line_ring& at, std::uint64_t* words, std::size_t count) {
    assert(at.front().bytes == count * sizeof *words && "pop what was pushed");
    std::memcpy(words, at.front().data, count * sizeof *words);
    at.pop();
  }
};

template <class End> channel first_use(worker& w, vp& me, std::size_t q) {
  vp_access::require_countable(me);
  const run_plan& plan = *w.run().plan;
  const channel made{&End::made(w, me.rank(), q), plan.folding.owner(q) - plan.first_worker};
  End::used(w).add(me.rank(), q, made);
  return made;
}

template <class End, class Ring, class Words>
bool try_at(vp& me, Ring& at, Words words, std::size_t count) {
  if (!happened(End::event, at) && !vp_access::soon(me, End::event, at)) return false;
  End::act(at, words, count);
  return true;
}

template <class End, class Words>
bool try_end(vp& me, std::size_t q, Words words, std::size_t count) {
  worker& w = worker_of(vp_access::state(me));
  channel found = End::used(w).find(me.rank(), q);
  if (found.ring == nullptr) [[unlikely]] {
    if (vp_access::elsewhere(me, q)) return try_at<End>(me, End::remote(me, q), words, count);
    found = first_use<End>(w, me, q);
  }
  if (!try_at<End>(me, *found.ring, words, count)) return false;
  if (found.wakes != w.index())
    w.run().sleepers.wake(found.wakes);
  else
    w.waits().happened_to(q);
  return true;
}

template <class End> void suspend_at(vp& me, std::size_t q, std::coroutine_handle<> self) {
  worker& w = worker_of(vp_access::state(me));
  const auto suspend = [&](const auto& at) {
    vp_access::suspend(me, self, q, awaited_at(End::event, at));
  };
  if (vp_access::elsewhere(me, q))
    suspend(End::remote(me, q));
  else
    suspend(*End::used(w).find(me.rank(), q).ring);
}

template <class End, class Words>
void act_at(vp& me, std::size_t q, Words words, std::size_t count) {
  worker& w = worker_of(vp_access::state(me));
  const auto act = [&](auto& at) { End::act(at, words, count); };
  if (vp_access::elsewhere(me, q))
    act(End::remote(me, q));
  else
    act(*End::used(w).find(me.rank(), q).ring);
  vp_access::notify(me, q);
}

}  // namespace

bool vp_channels::try_push(vp& me, std::size_t q, const std::uint64_t* words, std::size_t count) {
  return try_end<push_end>(me, q, words, count);
}
void vp_channels::suspend_until_room(vp& me, std::size_t q, std::coroutine_handle<> self) {
  suspend_at<push_end>(me, q, self);
}
void vp_channels::push(vp& me, std::size_t q, const std::uint64_t* words, std::size_t count) {
  act_at<push_end>(me, q, words, count);
}

bool vp_channels::try_pop(vp& me, std::size_t q, std::uint64_t* words, std::size_t count) {
  return try_end<pop_end>(me, q, words, count);
}
void vp_channels::suspend_until_value(vp& me, std::size_t q, std::coroutine_handle<> self) {
  suspend_at<pop_end>(me, q, self);
}
void vp_channels::pop(vp& me, std::size_t q, std::uint64_t* words, std::size_t count) {
  act_at<pop_end>(me, q, words, count);
}

}  // namespace pleat::detail
