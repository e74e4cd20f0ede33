// SPDX-License-Identifier: Apache-2.0
// How messages leave a program for the ascend-descend protocol, and reach the inbox when it ends.
#include "engine/relay.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/detail/memory.hpp>

namespace pleat::detail {

namespace {

/// Nobody resumes the coroutine any more.
struct for_ever : std::suspend_always {
  using awaited_by_tasks = void;
};

/// What runs between the program of `me` and its sync.
task<> ascend_descend(vp& me, relay_state& mine) {
  std::exception_ptr failure;
  try {
    relay of_me(me, mine);
    task<> superstep = of_me.superstep(mine.label);
    co_await superstep;
  } catch (...) {  // no memory: the program's sync cannot throw it any more
    failure = std::current_exception();
  }
  if (failure) {
    vp_access::end_run(me, mine.protocol, std::move(failure));
    co_await for_ever{};
  }
  vp_access::state(me).waits_at = mine.label & 0xff;
  mine.under_way = false;
}

/// A record of its own memory, as an inbox holds it.
record* unpack(const packet& p) {
  const std::size_t bytes = sizeof(record) + (std::size_t{p.size} + 7) / 8 * 8;
  auto* r = static_cast<record*>(take_memory(bytes, alignof(record)));
  *r = record{{}, p.source, 1, p.size, p.kind, rescued, 0};
  std::memcpy(r->payload(), p.payload.data(), p.size);
  return r;
}

}  // namespace

void relay_state::start_protocol(vp& me, unsigned at_label) {
  end_protocol();
  label = at_label;
  vp_state& state = vp_access::state(me);
  const auto coroutine = ascend_descend(me, *this).release();
  coroutine.promise().continuation = state.resume_point;
  state.resume_point = protocol = coroutine;
  under_way = true;
}

void relay_state::end_protocol() noexcept {
  if (protocol) protocol.destroy();
  protocol = nullptr;
}

void relay_state::send_directly(worker& on) {
  const std::uint64_t* weight = weights.data();
  sent.filter(
      0, [](const record&) { return false; },
      [&](const record& r) {
        for (std::uint32_t i = 0; i < r.count; ++i, ++weight)
          on.record_message(r.source, r.destination, *weight);
        on.outbox_for(r.destination).append(r);
      });
  weights.clear();
}

void relay::start_relay(unsigned label) {
  const rank_range cluster = cluster_of(v_, rank_, label);
  std::vector<std::uint64_t> kept;  // weights of what waits for a coarser barrier
  const std::uint64_t* weight = mine_.weights.data();
  std::uint32_t sequence = 0;
  const auto stays = [&](const record& r) {
    if (cluster.contains(r.destination)) return false;
    kept.insert(kept.end(), weight, weight + r.count);
    weight += r.count;
    return true;
  };
  mine_.sent.filter(0, stays, [&](const record& r) {
    if (mine_.resting.capacity() - mine_.resting.size() < r.count)  // all of a record, or none
      mine_.resting.reserve(std::max(2 * mine_.resting.size(), mine_.resting.size() + r.count));
    for (std::uint32_t i = 0; i < r.count; ++i) {
      packet p{r.source,   static_cast<std::uint32_t>(r.destination),
               sequence++, r.size,
               r.kind,     *weight++,
               {}};
      if (r.size != 0) std::memcpy(p.payload.data(), r.payload() + std::size_t{i} * r.size, r.size);
      mine_.resting.push_back(p);
    }
  });
  mine_.weights = std::move(kept);
}

std::vector<record*> relay::inbox() const {
  record* const last = state_.inbox;
  std::vector<record*> all;
  if (last == nullptr) return all;
  record* r = last;
  do {
    r = r->next;
    all.push_back(r);
  } while (r != last);
  return all;
}

void relay::arrive(std::size_t messages_before) {
  std::sort(mine_.resting.begin(), mine_.resting.end(), [](const packet& a, const packet& b) {
    return a.source != b.source ? a.source < b.source : a.sequence < b.sequence;
  });
  // What a VP that has ended sent directly goes where its source belongs.
  std::vector<record*> all = inbox();
  const std::size_t received = all.size();
  all.reserve(all.size() + mine_.resting.size());
  try {
    for (const packet& p : mine_.resting) all.push_back(unpack(p));
  } catch (...) {  // what the packets carry stays theirs
    while (all.size() > received) {
      give_back_memory(all.back());
      all.pop_back();
    }
    throw;
  }
  mine_.resting.clear();
  if (all.size() == messages_before) return;
  const std::span fresh = std::span(all).subspan(messages_before);
  for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i]->stamp = static_cast<std::uint32_t>(i);
  std::sort(fresh.begin(), fresh.end(), [](const record* a, const record* b) {
    return a->source != b->source ? a->source < b->source : a->stamp < b->stamp;
  });
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->next = all[(i + 1) % all.size()];
  for (record* r : fresh) r->stamp = 0;  // of no delivery that is still to come
  state_.inbox = all.back();
}

}  // namespace pleat::detail
