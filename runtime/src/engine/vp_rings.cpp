// SPDX-License-Identifier: Apache-2.0
// The rings between virtual processors, and those of vp::push and pop among them.
#include "engine/vp_rings.hpp"

#include <cassert>
#include <cstring>
#include <utility>

#include <pleat/runtime/detail/vp_channels.hpp>

#include "engine/other_processes.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

namespace {

/// Throws: usage_error, as push and pop say.
const run_state& run_of(const vp& me, std::size_t q) {
  vp_access::require_vp(me, q);
  const worker& w = worker_of(vp_access::state(me));
  if (w.counts()) [[unlikely]]
    vp_access::require_countable(me);
  return w.run();
}

}  // namespace

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

void vp_rings::clear() {
  if (!std::exchange(some_made_, false)) return;
  for (by_ends& of_context : rings_) of_context.clear();
}

vp_channel_end vp_channel_end::to(vp& me, std::size_t q) {
  const run_state& run = run_of(me, q);
  if (run.others != nullptr && vp_access::elsewhere(me, q)) [[unlikely]]
    return {&me, q, &vp_access::far_ring_to(me, q, context_of_push).ring};
  return {&me, q, &run.rings->between(me.rank(), q, context_of_push, run.plan->folding)};
}

vp_channel_end vp_channel_end::from(vp& me, std::size_t q) {
  const run_state& run = run_of(me, q);
  if (run.others != nullptr && vp_access::elsewhere(me, q)) [[unlikely]]
    return {&me, q, &vp_access::far_ring_from(me, q, context_of_push)};
  return {&me, q, &run.rings->between(q, me.rank(), context_of_push, run.plan->folding)};
}

bool vp_channel_end::soon_has_room() const {
  return at->room() || vp_access::soon(*me, channel_event::room, *at);
}
void vp_channel_end::suspend_until_room(std::coroutine_handle<> self) const {
  vp_access::suspend(*me, self, peer, awaited_at(channel_event::room, *at));
}
void vp_channel_end::push(const void* value, std::size_t bytes) const {
  at->push(0, 0, static_cast<std::uint32_t>(bytes),
           [&](std::byte* line) { std::memcpy(line, value, bytes); });
  vp_access::notify(*me, peer);
}

bool vp_channel_end::soon_has_value() const {
  return at->ready() || vp_access::soon(*me, channel_event::value, *at);
}
void vp_channel_end::suspend_until_value(std::coroutine_handle<> self) const {
  vp_access::suspend(*me, self, peer, awaited_at(channel_event::value, *at));
}
void vp_channel_end::pop(void* value, std::size_t bytes) const {
  assert(at->front().bytes == bytes && "pop what was pushed");
  std::memcpy(value, at->front().data, bytes);
  at->pop();
  vp_access::notify(*me, peer);
}

}  // namespace pleat::detail
