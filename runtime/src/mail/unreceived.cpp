// SPDX-License-Identifier: Apache-2.0
//
// Messages that a VP still reads, or has not received, when their inbox pool is to be emptied.
#include <cstring>
#include <memory>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>

#include "mail/mail.hpp"

namespace pleat::detail {

/// Shares the pool's memory with the VPs that wait at channels, which may still read messages in
/// it.
void mail::leave_to_readers(inbox_pool& pool) {
  // If there are fewer receivers than waiting VPs, checks the receivers first.
  if (pool.receivers.size() <= waits_.size()) {
    bool any = false;
    for (std::size_t rank = pool.receivers.first; rank < pool.receivers.last; ++rank)
      any |= vps_.at(rank).waits_at == at_channel && !vps_.has_ended(rank);
    if (!any) return;
  }
  std::shared_ptr<byte_buffer> memory;
  for (channel_wait& wait : waits_) {
    if (!pool.receivers.contains(wait.rank)) continue;
    if (memory == nullptr) memory = std::make_shared<byte_buffer>();
    wait.spent.pools.push_back(memory);
  }
  // Only now, when nothing can throw: until then the pool keeps the messages that may be read.
  if (memory != nullptr) std::swap(*memory, pool.records);
}

void mail::rescue(rank_range receivers, unsigned label) {
  for (std::size_t rank = receivers.first; rank < receivers.last; ++rank) {
    vp_state& x = vps_.at(rank);
    if (x.inbox == nullptr) continue;
    if (x.ended()) {  // the VP takes no more messages
      discard_inbox(x);
      continue;
    }
    record* before = x.inbox;
    do {
      record* r = before->next;
      if (r->home == label) {
        const std::size_t extent = r->extent();
        auto* copy = static_cast<record*>(take_memory(extent, alignof(record)));
        std::memcpy(copy, r, extent);
        copy->home = rescued;
        if (r->next == r) copy->next = copy;  // it was the only record
        before->next = copy;
        if (x.inbox == r) x.inbox = copy;
        r = copy;
      }
      before = r;
    } while (before != x.inbox);
  }
}

void spent_memory::release() noexcept {
  for (void* memory : blocks) give_back_memory(memory);
  blocks.clear();
  pools.clear();
}

}  // namespace pleat::detail
