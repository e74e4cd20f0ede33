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
#include <utility>
#include <vector>

#include "engine/relay.hpp"

namespace pleat::detail {

namespace {

/// Where the message at `position` of `total` goes when all are spread evenly over `receivers`.
std::size_t spread(std::uint64_t position, std::uint64_t total, rank_range receivers) {
  const std::uint64_t size = receivers.size();
  const std::uint64_t share = std::max<std::uint64_t>(1, total / size + (total % size != 0));
  return receivers.first + static_cast<std::size_t>(std::min(position / share, size - 1));
}

}  // namespace

task<> relay::superstep(unsigned label) {
  // The labels below depend on `label` alone, neither on what was sent nor on who has ended: so a
  // program whose VPs all perform the same labels still does so when it is routed.
  const std::size_t received_before = inbox().size();
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

}  // namespace pleat::detail
