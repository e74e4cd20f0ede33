// SPDX-License-Identifier: Apache-2.0
#include "engine/vp_channels.hpp"

#include <utility>

#include <pleat/runtime/detail/vp_channels.hpp>

#include "engine/other_processes.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

namespace {

template <class Map> auto& made_between(Map& made, std::size_t source, std::size_t destination) {
  return made[std::uint64_t{source} << 32 | destination];
}

void check_peer(const vp& me, std::size_t q) {
  vp_access::require_vp(me, q);
  vp_access::require_countable(me);
}

}  // namespace

vp_channel& vp_channels::between(std::size_t source, std::size_t destination) {
  const std::scoped_lock lock(mutex_);
  some_made_ = true;
  auto& made = made_between(channels_, source, destination);
  if (made == nullptr) made = std::make_unique<vp_channel>(capacity);
  return *made;
}

line_ring& vp_channels::ring_between(std::size_t source, std::size_t destination, unsigned context,
                                     std::size_t most) {
  const std::scoped_lock lock(mutex_);
  some_made_ = true;
  auto& made = made_between(rings_[context], source, destination);
  if (made == nullptr) made = std::make_unique<line_ring>(most);
  return *made;
}

void vp_channels::clear() {
  if (!std::exchange(some_made_, false)) return;
  channels_.clear();
  for (auto& of_context : rings_) of_context.clear();
}

vp_channel_end vp_channel_end::to(vp& me, std::size_t q) {
  check_peer(me, q);
  const run_state& run = worker_of(vp_access::state(me)).run();
  return {&me, q,
          vp_access::elsewhere(me, q) ? &run.others->channel_to(me.rank(), q)
                                      : &run.channels->between(me.rank(), q)};
}

vp_channel_end vp_channel_end::from(vp& me, std::size_t q) {
  check_peer(me, q);
  const run_state& run = worker_of(vp_access::state(me)).run();
  return {&me, q,
          vp_access::elsewhere(me, q) ? &run.others->channel_from(q, me.rank())
                                      : &run.channels->between(q, me.rank())};
}

bool vp_channel_end::soon_has_room() const {
  return at->room() != 0 || vp_access::soon(*me, channel_event::room, *at);
}
void vp_channel_end::suspend_until_room(std::coroutine_handle<> self) const {
  vp_access::suspend(*me, self, peer, awaited_at(channel_event::room, *at));
}
void vp_channel_end::push(const slot& value) const {
  // There is room: nobody else pushes, and nobody resumes us before there is.
  (void)at->try_push(value);
  vp_access::notify(*me, peer);
}

bool vp_channel_end::soon_has_value() const {
  return at->size() != 0 || vp_access::soon(*me, channel_event::value, *at);
}
void vp_channel_end::suspend_until_value(std::coroutine_handle<> self) const {
  vp_access::suspend(*me, self, peer, awaited_at(channel_event::value, *at));
}
void vp_channel_end::pop(slot& value) const {
  (void)at->try_pop(value);  // there is one: nobody else pops
  vp_access::notify(*me, peer);
}

}  // namespace pleat::detail
