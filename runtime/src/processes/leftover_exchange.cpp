// SPDX-License-Identifier: Apache-2.0
//
// Exchange of messages to other processes that no barrier has delivered, from virtual processors
// that have ended.
#include <utility>
#include <vector>

#include "engine/run_state.hpp"
#include "processes/process_exchange.hpp"
#include "processes/wire.hpp"

namespace pleat::detail {

void process_exchange::send_leftovers() {
  if (left_for_others_.empty()) return;
  left_for_others_.collect([&](remote_leftover& left) {
    start(head(packet_kind::leftover, nullptr, 0));
    byte_writer to(front_);
    to.put(std::uint64_t{left.last_arrivals.size()});
    for (const auto& last : left.last_arrivals) to.put(last);
    add(left.mail);
    post(layout_.process_of(left.mail.worker));
    ++leftovers_on_their_way_;
    return true;
  });
}

void process_exchange::take_leftover(link::arrival& packet) {
  byte_reader from(packet.bytes);
  from.skip(sizeof(packet_head));
  leftover left;
  for (auto count = from.take<std::uint64_t>(); count > 0; --count) {
    const auto last = from.take<remote_leftover::last_arrival>();
    for (const shared_cluster* const m : run_.plan->crossings) {
      if (m->label == last.label && m->ranks.first == last.first)
        left.last_arrivals.push_back({m, run_.now.first_epoch + last.epoch});
    }
  }
  const auto mail = from.take<section>();
  const std::byte* const records = from.skip(static_cast<std::size_t>(mail.bytes));
  unpack_records(records, records + mail.bytes, packet.beside.data(), left.messages);
  run_.plan->left(static_cast<std::size_t>(mail.worker) - run_.plan->first_worker)
      .put(std::move(left));
}

}  // namespace pleat::detail
