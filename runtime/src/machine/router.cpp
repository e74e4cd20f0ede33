// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "costs/counted_run.hpp"

namespace pleat {

namespace detail {

namespace {

/// Receiver of the message at `position` of `total` when all are spread evenly over `receivers`.
std::size_t spread(std::uint64_t position, std::uint64_t total, rank_range receivers) {
  const std::uint64_t size = receivers.size();
  const std::uint64_t share = std::max<std::uint64_t>(1, total / size + (total % size != 0));
  return receivers.first + static_cast<std::size_t>(std::min(position / share, size - 1));
}

/// A virtual processor's part in the ascend-descend protocol. It offers a send and a sync of its
/// own, made of those of the virtual processor. Only the weight of each message is sent, and
/// counted on every step of its path.
///
///     label i   ──────────────────  descend: over those halves the destinations lie in
///                ↑              ↓
///     label L−1  ascend: spread what leaves each cluster evenly over it
///
/// Source: see routing::ascend_descend.
class router {
 public:
  explicit router(vp& me) noexcept
      : me_(me), v_(me.size()), labels_(me.labels()), rank_(me.rank()) {}

  /// Sends `weight` messages of the model, routed as one, to VP `to`. Requires: to != rank; the
  /// next sync joins the two; weight != 0.
  void send(std::size_t to, std::uint64_t weight) {
    held_.push_back({static_cast<std::uint32_t>(rank_), static_cast<std::uint32_t>(to), weight});
  }
  /// Performs the supersteps of the protocol for a superstep that ends with sync(label).
  task<> sync(unsigned label) {
    // The labels below depend on `label` alone, not on the messages or on VPs that have ended. So a
    // program whose VPs all perform the same labels still does so with routing.
    task<prefix_tallies> taken = tally(label, {});
    const prefix_tallies sum = co_await taken;
    spreads_ = sum.all.complete != 0;
    for (unsigned k = labels_ - 1; k > label; --k) {
      task<> up = ascend(k);
      co_await up;
    }
    for (unsigned k = label; k < labels_; ++k) {
      task<> down = descend(k, label);
      co_await down;
    }
    held_.clear();  // all have arrived
  }

 private:
  /// Message in transit, held by a virtual processor between two supersteps.
  struct routed_message {
    std::uint32_t source, destination;
    std::uint64_t weight;
  };
  /// Sums over a cluster.
  struct tallies {
    std::uint64_t weights[2] = {0, 0};
    std::uint64_t complete = 1;  // not 0: every VP of the cluster took part

    void add(const tallies& other) noexcept {
      for (const int side : {0, 1}) weights[side] += other.weights[side];
      complete &= other.complete;
    }
  };
  /// Result of a tally: sums over the VPs of lower rank, and over the whole cluster.
  struct prefix_tallies {
    tallies before, all;
  };

  /// Adds up tallies over the k-cluster. Cost: 2(L − k) supersteps of constant degree.
  task<prefix_tallies> tally(unsigned k, tallies mine) {
    // The first VP of every cluster is its leader. Upwards the leader of a right half sends its sum
    // to the leader of the left half; downwards it receives the sum before it. If a VP has ended,
    // its leader receives no message from it; if it was a leader, the VPs below it receive none
    // either.
    std::array<tallies, 32> left{};  // [label]: sums of the left half that this VP leads
    for (unsigned label = labels_; label-- > k;) {
      left[label] = mine;
      const rank_range half = cluster_of(v_, rank_, label + 1);
      const rank_range whole = cluster_of(v_, rank_, label);
      if (leads(label + 1) && !leads(label)) me_.send(whole.first, mine);
      co_await me_.sync(label);
      if (!leads(label) || half.last == whole.last) continue;
      tallies right{{0, 0}, 0};
      while (const auto m = me_.receive()) right = m->get<tallies>();
      mine.add(right);
    }

    prefix_tallies answer{{}, mine};
    if (!leads(k)) answer.all.complete = 0;  // until the answer arrives
    for (unsigned label = k; label < labels_; ++label) {
      const rank_range half = cluster_of(v_, rank_, label + 1);
      const rank_range whole = cluster_of(v_, rank_, label);
      if (leads(label) && half.last != whole.last) {
        prefix_tallies theirs = answer;
        theirs.before.add(left[label]);
        me_.send(half.last, theirs);
      }
      co_await me_.sync(label);
      if (leads(label + 1) && !leads(label)) {
        while (const auto m = me_.receive()) answer = m->get<prefix_tallies>();
      }
    }
    co_return answer;
  }
  /// Moves messages in one k-superstep: sends the messages held here to the VPs that `next` gives,
  /// and keeps the ones that arrive.
  template <class Next> task<> move_messages(unsigned k, Next next) {
    auto stays = held_.begin();
    for (const routed_message& p : held_) {
      const std::size_t to = next(p);
      if (to == rank_) {
        *stays++ = p;
      } else {
        me_.send(to, p);
        if (p.weight > 1) me_.count_crossing(to, static_cast<std::size_t>(p.weight) - 1);
      }
    }
    held_.erase(stays, held_.end());
    co_await me_.sync(k);
    while (const auto m = me_.receive()) held_.push_back(m->get<routed_message>());
  }
  task<> ascend(unsigned k) {
    const rank_range cluster = cluster_of(v_, rank_, k);
    const auto stays = [cluster, spreads = spreads_](const routed_message& p) {
      return !spreads || cluster.contains(p.destination);
    };
    tallies mine;
    for (const routed_message& p : held_) {
      if (!stays(p)) mine.weights[0] += p.weight;
    }
    task<prefix_tallies> taken = tally(k, mine);
    prefix_tallies sum = co_await taken;
    task<> moved = move_messages(k, [&](const routed_message& p) {
      if (stays(p)) return rank_;
      const std::size_t to = spread(sum.before.weights[0], sum.all.weights[0], cluster);
      sum.before.weights[0] += p.weight;
      return to;
    });
    co_await moved;
  }
  task<> descend(unsigned k, unsigned label) {
    const rank_range cluster = cluster_of(v_, rank_, k);
    const std::size_t middle = cluster_of(v_, cluster.first, k + 1).last;
    const rank_range halves[2] = {{cluster.first, middle}, {middle, cluster.last}};
    // A message whose source and destination are in one half was not spread beyond it: it stays.
    const bool spreads = spreads_;
    const auto stays = [this, k, spreads](const routed_message& p) {
      return !spreads || cluster_of(v_, p.source, k + 1).contains(p.destination);
    };
    tallies mine;
    for (const routed_message& p : held_) {
      if (!stays(p)) mine.weights[p.destination >= middle] += p.weight;
    }
    task<prefix_tallies> taken = tally(k, mine);
    prefix_tallies sum = co_await taken;
    task<> moved = move_messages(k, [&](const routed_message& p) {
      if (!spreads && k == label) return std::size_t{p.destination};
      if (stays(p)) return rank_;
      const bool side = p.destination >= middle;
      const std::size_t to = spread(sum.before.weights[side], sum.all.weights[side], halves[side]);
      sum.before.weights[side] += p.weight;
      return to;
    });
    co_await moved;
  }
  [[nodiscard]] bool leads(unsigned label) const noexcept {
    return cluster_of(v_, rank_, label).first == rank_;
  }

  vp& me_;
  const std::size_t v_;
  const unsigned labels_;
  const std::size_t rank_;
  std::vector<routed_message> held_;
  /// True if all VPs of the superstep's cluster take part. If one has ended, messages go from
  /// source to destination in one step, and the other supersteps move nothing.
  bool spreads_ = true;
};

/// Performs the supersteps of a logged run with routing.
task<> play(vp& me, const message_log& log, std::span<const superstep_degrees> supersteps) {
  router through(me);
  const std::span<const message_log::message> mine = log.of(me.rank());
  auto next = mine.begin();
  for (std::uint32_t s = 0; s < log.supersteps[me.rank()]; ++s) {
    for (; next != mine.end() && next->superstep == s; ++next)
      through.send(next->destination, next->weight);
    task<> superstep = through.sync(supersteps[s].label);
    co_await superstep;
  }
}

}  // namespace

tracing trace_for(const evaluation_options& options) {
  const bool is_routed = options.routing == routing::ascend_descend;
  if (is_routed && options.dummies)
    throw usage_error(
        "dummy messages under ascend-descend routing: they never travel, so they cannot be routed; "
        "count them with direct routing");
  return {.dummies = options.dummies,
          .processors = options.processors,
          .messages = is_routed || options.messages};
}

}  // namespace detail

cost_trace routed(const cost_trace& direct) {
  const detail::message_log* const log = direct.log();
  if (log == nullptr)
    throw usage_error(
        "costs of a run whose messages were not kept cannot be routed: count it with "
        "tracing::messages");
  machine counting({.trace = tracing{.processors = direct.processors()}});
  run_report report =
      counting.run(direct.v(), [&](vp& me) { return detail::play(me, *log, direct.supersteps()); });
  return *std::move(report.costs);
}

}  // namespace pleat
