// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

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
  [[nodiscard]] task<> sync(unsigned label);

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
  [[nodiscard]] task<prefix_tallies> tally(unsigned k, tallies mine);
  /// Moves messages in one k-superstep: sends the messages held here to the VPs that `next` gives,
  /// and keeps the ones that arrive.
  template <class Next> [[nodiscard]] task<> move_messages(unsigned k, Next next);
  [[nodiscard]] task<> ascend(unsigned k);
  [[nodiscard]] task<> descend(unsigned k, unsigned label);
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

}  // namespace pleat::detail
