// SPDX-License-Identifier: Apache-2.0
// The ascend-descend protocol: a superstep whose messages are spread before they move far.
//
//       label i   ──────────────────  descend: over those halves the destinations lie in
//                  ↑              ↓
//       label L−1  ascend: spread what leaves each cluster evenly over it
//
// It is a program like any other, which runs between a virtual processor's own program and its
// sync: its messages travel directly, and the barriers it comes to are ordinary ones.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/relay_state.hpp>
#include <pleat/runtime/detail/vp_channels.hpp>
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

/// Nobody resumes the coroutine any more.
struct for_ever : std::suspend_always {
  using awaited_by_tasks = void;
};

/// The protocol's superstep of one virtual processor.
class relay {
 public:
  relay(vp& me, relay_state& mine) noexcept
      : me_(me),
        mine_(mine),
        state_(vp_access::state(me)),
        worker_(*state_.on),
        v_(me.size()),
        labels_(me.labels()),
        rank_(me.rank()) {}

  /// Of a superstep that the program ended with sync(label).
  task<> superstep(unsigned label);

 private:
  /// Adds up over the k-cluster. Cost: 2(L − k) supersteps of constant degree.
  task<prefix_tallies> tally(unsigned k, tallies mine);
  /// One k-superstep: what rests here goes where `next` says, and what arrives rests here.
  template <class Next> task<> move_packets(unsigned k, Next next);
  [[nodiscard]] task<> ascend(unsigned k);
  [[nodiscard]] task<> descend(unsigned k, unsigned label);
  /// What the program has sent within the cluster of `label` rests here from now on.
  void start_relay(unsigned label);
  /// What rests here goes to the inbox, behind the messages that were there before.
  void arrive(std::size_t messages_before);

  void send(std::size_t to, record_kind kind, const auto& content, std::uint64_t messages);
  /// Takes the messages of a kind out of the inbox.
  template <class Take> void take_out(record_kind kind, Take take);

  vp& me_;
  relay_state& mine_;
  vp_state& state_;
  worker& worker_;
  const std::size_t v_;
  const unsigned labels_;
  const std::size_t rank_;
};

task<> relay::superstep(unsigned label) {
  // The labels below depend on `label` alone, neither on what was sent nor on who has ended: so a
  // program whose VPs all perform the same labels still does so when it is routed.
  const std::size_t received_before = in_order(state_.inbox).size();
  task<prefix_tallies> taken = tally(label, {});
  const prefix_tallies sum = co_await taken;
  mine_.spreads = sum.all.complete;
  start_relay(label);
  for (unsigned k = labels_ - 1; k > label; --k) {
    task<> up = ascend(k);
    co_await up;
  }
  for (unsigned k = label; k < labels_; ++k) {
    task<> down = descend(k, label);
    co_await down;
  }
  arrive(received_before);
}

task<prefix_tallies> relay::tally(unsigned k, tallies mine) {
  // The first VP of every cluster leads it. Upwards the leader of a right half tells its sum to the
  // leader of the left one; downwards it hears what was before it. A VP that is missing is noticed
  // by the leader who does not hear from it, and, if it led, by all who do not hear from it.
  const auto leads = [this](unsigned label) { return cluster_of(v_, rank_, label).first == rank_; };
  std::array<tallies, most_labels> left{};  // [label]: of the half this VP leads
  for (unsigned label = labels_; label-- > k;) {
    left[label] = mine;
    const rank_range half = cluster_of(v_, rank_, label + 1);
    const rank_range whole = cluster_of(v_, rank_, label);
    if (leads(label + 1) && !leads(label)) send(whole.first, record_kind::tally, mine, 1);
    co_await me_.sync(label);
    if (!leads(label) || half.last == whole.last) continue;
    tallies right{{0, 0}, false};
    take_out(record_kind::tally, [&](const std::byte* p) { right = load_payload<tallies>(p); });
    mine.add(right);
  }

  prefix_tallies answer{{}, mine};
  if (!leads(k)) answer.all.complete = false;  // till we hear of it
  for (unsigned label = k; label < labels_; ++label) {
    const rank_range half = cluster_of(v_, rank_, label + 1);
    const rank_range whole = cluster_of(v_, rank_, label);
    if (leads(label) && half.last != whole.last) {
      prefix_tallies theirs = answer;
      theirs.before.add(left[label]);
      send(half.last, record_kind::tally, theirs, 1);
    }
    co_await me_.sync(label);
    if (leads(label + 1) && !leads(label)) {
      take_out(record_kind::tally,
               [&](const std::byte* p) { answer = load_payload<prefix_tallies>(p); });
    }
  }
  co_return answer;
}

template <class Next> task<> relay::move_packets(unsigned k, Next next) {
  std::vector<packet>& resting = mine_.resting;
  auto stays = resting.begin();
  auto at_packet = resting.begin();
  try {
    for (; at_packet != resting.end(); ++at_packet) {
      const std::size_t to = next(*at_packet);
      if (to == rank_)
        *stays++ = *at_packet;
      else
        send(to, record_kind::packet, *at_packet, at_packet->weight);
    }
  } catch (...) {  // what has been forwarded rests here no more
    resting.erase(stays, at_packet);
    throw;
  }
  resting.erase(stays, resting.end());
  co_await me_.sync(k);
  take_out(record_kind::packet,
           [&](const std::byte* p) { resting.push_back(load_payload<packet>(p)); });
}

task<> relay::ascend(unsigned k) {
  const rank_range cluster = cluster_of(v_, rank_, k);
  const auto stays = [&cluster, spreads = mine_.spreads](const packet& p) {
    return !spreads || cluster.contains(p.destination);
  };
  tallies mine;
  for (const packet& p : mine_.resting) {
    if (!stays(p)) mine.weights[0] += p.weight;
  }
  task<prefix_tallies> taken = tally(k, mine);
  prefix_tallies sum = co_await taken;
  task<> moved = move_packets(k, [&](const packet& p) {
    if (stays(p)) return rank_;
    const std::size_t to = spread(sum.before.weights[0], sum.all.weights[0], cluster);
    sum.before.weights[0] += p.weight;
    return to;
  });
  co_await moved;
}

task<> relay::descend(unsigned k, unsigned label) {
  const rank_range cluster = cluster_of(v_, rank_, k);
  const std::size_t middle = cluster_of(v_, cluster.first, k + 1).last;
  const rank_range halves[2] = {{cluster.first, middle}, {middle, cluster.last}};
  // What never leaves its half has been spread less widely than this, and stays where it is.
  const bool spreads = mine_.spreads;
  const auto stays = [this, k, spreads](const packet& p) {
    return !spreads || cluster_of(v_, p.source, k + 1).contains(p.destination);
  };
  tallies mine;
  for (const packet& p : mine_.resting) {
    if (!stays(p)) mine.weights[p.destination >= middle] += p.weight;
  }
  task<prefix_tallies> taken = tally(k, mine);
  prefix_tallies sum = co_await taken;
  task<> moved = move_packets(k, [&](const packet& p) {
    if (!spreads && k == label) return std::size_t{p.destination};
    if (stays(p)) return rank_;
    const bool side = p.destination >= middle;
    const std::size_t to = spread(sum.before.weights[side], sum.all.weights[side], halves[side]);
    sum.before.weights[side] += p.weight;
    return to;
  });
  co_await moved;
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

void relay::arrive(std::size_t messages_before) {
  std::sort(mine_.resting.begin(), mine_.resting.end(), [](const packet& a, const packet& b) {
    return a.source != b.source ? a.source < b.source : a.sequence < b.sequence;
  });
  // What a VP that has ended sent directly goes where its source belongs.
  std::vector<record*> all = in_order(state_.inbox);
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

void relay::send(std::size_t to, record_kind kind, const auto& content, std::uint64_t messages) {
  worker_.record_message(rank_, to, messages);
  worker_.outbox_for(to).send_one(state_.rank, static_cast<std::uint32_t>(to), kind, content);
}

template <class Take> void relay::take_out(record_kind kind, Take take) {
  if (state_.inbox == nullptr) return;
  record* const end = state_.inbox;
  record* before = end;
  for (record* r = nullptr; r != end;) {
    r = before->next;
    if (r->kind != kind) {
      before = r;
      continue;
    }
    worker_.make_room_to_spend();
    take(r->payload());  // the last that may throw
    before->next = r->next;
    if (r == end) state_.inbox = r == before ? nullptr : before;
    worker_.consumed(r);
  }
}

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

}  // namespace pleat::detail
