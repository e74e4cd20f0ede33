// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/vp.hpp>

#include "engine/relay_state.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

/// One virtual processor's superstep under the ascend-descend protocol. Its steps are in
/// ascend_descend.cpp; how messages leave the program, and how they reach the inbox, in relay.cpp.
class relay {
 public:
  relay(vp& me, relay_state& mine) noexcept
      : me_(me),
        mine_(mine),
        state_(vp_access::state(me)),
        worker_(worker_of(state_)),
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

  /// The records of the inbox, oldest first.
  [[nodiscard]] std::vector<record*> inbox() const;
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

}  // namespace pleat::detail
