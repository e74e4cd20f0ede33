// SPDX-License-Identifier: Apache-2.0
// The ascend-descend protocol: a superstep whose messages are spread before they move far.
//
//       label i   ──────────────────  descend: over those halves the destinations lie in
//                  ↑              ↓
//       label L−1  ascend: spread what leaves each cluster evenly over it
//
// It runs as a coroutine of its own between a virtual processor's program and its sync: what it
// sends and the barriers it comes to are ordinary ones.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/worker.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

namespace {

/// Where the message at `position` of `total` goes when all are spread evenly over `receivers`.
std::size_t spread(std::uint64_t position, std::uint64_t total, rank_range receivers) {
  const std::uint64_t size = receivers.size();
  const std::uint64_t share = std::max<std::uint64_t>(1, total / size + (total % size != 0));
  return receivers.first + static_cast<std::size_t>(std::min(position / share, size - 1));
}

/// A record of its own memory, as an inbox holds it.
record* unpack(const packet& p) {
  const std::size_t bytes = sizeof(record) + (std::size_t{p.size} + 7) / 8 * 8;
  auto* r = static_cast<record*>(take_memory(bytes, alignof(record)));
  *r = record{{}, p.source, 1, p.size, p.kind, rescued, 0};
  std::memcpy(r->payload(), p.payload.data(), p.size);
  return r;
}

/// Nobody resumes the coroutine any more.
struct for_ever : std::suspend_always {
  using awaited_by_tasks = void;
};

/// The records of an inbox, oldest first.
std::vector<record*> in_order(record* last) {
  std::vector<record*> all;
  if (last == nullptr) return all;
  record* r = last;
  do {
    r = r->next;
    all.push_back(r);
  } while (r != last);
  return all;
}

}  // namespace

relay_state& worker::relay_of(std::size_t rank) noexcept {
  return relays_[rank - vps_.ranks.first];
}

outbox& worker::watched_outbox(std::size_t source, std::size_t destination, std::size_t messages,
                               std::size_t bytes) {
  if (!routes_packets_) {
    outbox& to = outbox_for(destination);
    to.reserve_one(bytes);
    note_messages(source, destination, messages);
    return to;
  }
  relay_state& j = relay_of(source);
  j.sent.reserve_one(bytes);
  j.weights.push_back(messages);
  if ((source ^ destination) > (source ^ farthest_)) farthest_ = destination;
  return j.sent;
}

void worker::begin_journey(vp_state& x, unsigned label) {
  announced_ = 0;
  relay_state& j = relay_of(x.rank);
  end_journey(j);
  j.label = label;
  const auto protocol = ascend_descend(reinterpret_cast<vp&>(x)).release();
  protocol.promise().continuation = x.resume_point;
  x.resume_point = j.protocol = protocol;
  j.under_way = true;
}

void worker::end_journey(relay_state& j) noexcept {
  if (j.protocol) j.protocol.destroy();
  j.protocol = nullptr;
}

task<> worker::ascend_descend(vp& me) {
  std::exception_ptr failure;
  try {
    task<> routed = routed_superstep(me, relay_of(me.rank()).label);
    co_await routed;
  } catch (...) {  // no memory: the program's sync cannot throw it any more
    failure = std::current_exception();
  }
  relay_state& j = relay_of(me.rank());
  if (failure) {
    me.state_.resume_point = j.protocol;
    suspended_for_ever(me.rank(), std::move(failure));
    co_await for_ever{};
  }
  me.state_.waits_at = j.label & 0xff;
  j.under_way = false;
}

task<> worker::routed_superstep(vp& me, unsigned label) {
  // The labels below depend on `label` alone, neither on what was sent nor on who has ended: so a
  // program whose VPs all perform the same labels still does so when it is routed.
  const std::size_t received_before = in_order(me.state_.inbox).size();
  task<prefix_tallies> taken = tally(me, label, {});
  const prefix_tallies sum = co_await taken;
  relay_of(me.rank()).spreads = sum.all.complete;
  set_out(me, label);
  for (unsigned k = vps_.labels - 1; k > label; --k) {
    task<> up = ascend(me, k);
    co_await up;
  }
  for (unsigned k = label; k < vps_.labels; ++k) {
    task<> down = descend(me, k, label);
    co_await down;
  }
  arrive(me, received_before);
}

task<prefix_tallies> worker::tally(vp& me, unsigned k, tallies mine) {
  // The first VP of every cluster leads it. Upwards the leader of a right half tells its sum to the
  // leader of the left one; downwards it hears what was before it. A VP that is missing is noticed
  // by the leader who does not hear from it, and, if it led, by all who do not hear from it.
  const std::size_t rank = me.rank();
  const auto leads = [this, rank](unsigned label) {
    return cluster_of(vps_.v, rank, label).first == rank;
  };
  std::array<tallies, most_labels> left{};  // [label]: of the half this VP leads
  for (unsigned label = vps_.labels; label-- > k;) {
    left[label] = mine;
    const rank_range half = cluster_of(vps_.v, rank, label + 1);
    const rank_range whole = cluster_of(vps_.v, rank, label);
    if (leads(label + 1) && !leads(label)) forward(me, whole.first, record_kind::tally, mine, 1);
    co_await me.sync(label);
    if (!leads(label) || half.last == whole.last) continue;
    tallies right{{0, 0}, false};
    take_out(me, record_kind::tally, [&](const std::byte* p) { right = load_payload<tallies>(p); });
    mine.add(right);
  }

  prefix_tallies answer{{}, mine};
  if (!leads(k)) answer.all.complete = false;  // till we hear of it
  for (unsigned label = k; label < vps_.labels; ++label) {
    const rank_range half = cluster_of(vps_.v, rank, label + 1);
    const rank_range whole = cluster_of(vps_.v, rank, label);
    if (leads(label) && half.last != whole.last) {
      prefix_tallies theirs = answer;
      theirs.before.add(left[label]);
      forward(me, half.last, record_kind::tally, theirs, 1);
    }
    co_await me.sync(label);
    if (leads(label + 1) && !leads(label)) {
      take_out(me, record_kind::tally,
               [&](const std::byte* p) { answer = load_payload<prefix_tallies>(p); });
    }
  }
  co_return answer;
}

template <class Next> task<> worker::move_packets(vp& me, unsigned k, Next next) {
  std::vector<packet>& resting = relay_of(me.rank()).resting;
  auto stays = resting.begin();
  auto at_packet = resting.begin();
  try {
    for (; at_packet != resting.end(); ++at_packet) {
      const std::size_t to = next(*at_packet);
      if (to == me.rank())
        *stays++ = *at_packet;
      else
        forward(me, to, record_kind::packet, *at_packet, at_packet->weight);
    }
  } catch (...) {  // what has been forwarded rests here no more
    resting.erase(stays, at_packet);
    throw;
  }
  resting.erase(stays, resting.end());
  co_await me.sync(k);
  take_out(me, record_kind::packet,
           [&](const std::byte* p) { resting.push_back(load_payload<packet>(p)); });
}

task<> worker::ascend(vp& me, unsigned k) {
  const rank_range cluster = cluster_of(vps_.v, me.rank(), k);
  const auto stays = [&cluster, spreads = relay_of(me.rank()).spreads](const packet& p) {
    return !spreads || cluster.contains(p.destination);
  };
  tallies mine;
  for (const packet& p : relay_of(me.rank()).resting) {
    if (!stays(p)) mine.weights[0] += p.weight;
  }
  task<prefix_tallies> taken = tally(me, k, mine);
  prefix_tallies sum = co_await taken;
  task<> moved = move_packets(me, k, [&, rank = me.rank()](const packet& p) {
    if (stays(p)) return rank;
    const std::size_t to = spread(sum.before.weights[0], sum.all.weights[0], cluster);
    sum.before.weights[0] += p.weight;
    return to;
  });
  co_await moved;
}

task<> worker::descend(vp& me, unsigned k, unsigned label) {
  const rank_range cluster = cluster_of(vps_.v, me.rank(), k);
  const std::size_t middle = cluster_of(vps_.v, cluster.first, k + 1).last;
  const rank_range halves[2] = {{cluster.first, middle}, {middle, cluster.last}};
  // What never leaves its half has been spread less widely than this, and stays where it is.
  const bool spreads = relay_of(me.rank()).spreads;
  const auto stays = [this, k, spreads](const packet& p) {
    return !spreads || cluster_of(vps_.v, p.source, k + 1).contains(p.destination);
  };
  tallies mine;
  for (const packet& p : relay_of(me.rank()).resting) {
    if (!stays(p)) mine.weights[p.destination >= middle] += p.weight;
  }
  task<prefix_tallies> taken = tally(me, k, mine);
  prefix_tallies sum = co_await taken;
  task<> moved = move_packets(me, k, [&, rank = me.rank()](const packet& p) {
    if (!spreads && k == label) return std::size_t{p.destination};
    if (stays(p)) return rank;
    const bool side = p.destination >= middle;
    const std::size_t to = spread(sum.before.weights[side], sum.all.weights[side], halves[side]);
    sum.before.weights[side] += p.weight;
    return to;
  });
  co_await moved;
}

void worker::set_out(vp& me, unsigned label) {
  relay_state& j = relay_of(me.rank());
  const rank_range cluster = cluster_of(vps_.v, me.rank(), label);
  std::vector<std::uint64_t> kept;  // weights of what waits for a coarser barrier
  const std::uint64_t* weight = j.weights.data();
  std::uint32_t sequence = 0;
  const auto stays = [&](const record& r) {
    if (cluster.contains(r.destination)) return false;
    kept.insert(kept.end(), weight, weight + r.count);
    weight += r.count;
    return true;
  };
  j.sent.filter(0, stays, [&](const record& r) {
    if (j.resting.capacity() - j.resting.size() < r.count)  // all of a record, or none
      j.resting.reserve(std::max(2 * j.resting.size(), j.resting.size() + r.count));
    for (std::uint32_t i = 0; i < r.count; ++i) {
      packet p{r.source,   static_cast<std::uint32_t>(r.destination),
               sequence++, r.size,
               r.kind,     *weight++,
               {}};
      if (r.size != 0) std::memcpy(p.payload.data(), r.payload() + std::size_t{i} * r.size, r.size);
      j.resting.push_back(p);
    }
  });
  j.weights = std::move(kept);
}

void worker::arrive(vp& me, std::size_t messages_before) {
  relay_state& j = relay_of(me.rank());
  std::sort(j.resting.begin(), j.resting.end(), [](const packet& a, const packet& b) {
    return a.source != b.source ? a.source < b.source : a.sequence < b.sequence;
  });
  // What a VP that has ended sent directly goes where its source belongs.
  std::vector<record*> all = in_order(me.state_.inbox);
  const std::size_t received = all.size();
  all.reserve(all.size() + j.resting.size());
  try {
    for (const packet& p : j.resting) all.push_back(unpack(p));
  } catch (...) {  // what the packets carry stays theirs
    while (all.size() > received) {
      give_back_memory(all.back());
      all.pop_back();
    }
    throw;
  }
  j.resting.clear();
  if (all.size() == messages_before) return;
  const std::span fresh = std::span(all).subspan(messages_before);
  for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i]->stamp = static_cast<std::uint32_t>(i);
  std::sort(fresh.begin(), fresh.end(), [](const record* a, const record* b) {
    return a->source != b->source ? a->source < b->source : a->stamp < b->stamp;
  });
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->next = all[(i + 1) % all.size()];
  for (record* r : fresh) r->stamp = 0;  // of no delivery that is still to come
  me.state_.inbox = all.back();
}

void worker::send_directly(relay_state& j) {
  const std::uint64_t* weight = j.weights.data();
  j.sent.filter(
      0, [](const record&) { return false; },
      [&](const record& r) {
        for (std::uint32_t i = 0; i < r.count; ++i, ++weight) {
          if (recorder_ != nullptr) recorder_->message(r.source, r.destination, *weight);
        }
        outbox_for(r.destination).append(r);
      });
  j.weights.clear();
}

void worker::forward(const vp& me, std::size_t to, record_kind kind, const auto& content,
                     std::uint64_t messages) {
  if (recorder_ != nullptr) recorder_->message(me.rank(), to, messages);
  outbox_for(to).send_one(me.state_.rank, static_cast<std::uint32_t>(to), kind, content);
}

template <class Take> void worker::take_out(vp& me, record_kind kind, Take take) {
  if (me.state_.inbox == nullptr) return;
  record* const end = me.state_.inbox;
  record* before = end;
  for (record* r = nullptr; r != end;) {
    r = before->next;
    if (r->kind != kind) {
      before = r;
      continue;
    }
    make_room_to_spend();
    take(r->payload());  // the last that may throw
    before->next = r->next;
    if (r == end) me.state_.inbox = r == before ? nullptr : before;
    consumed(r);
  }
}

}  // namespace pleat::detail
