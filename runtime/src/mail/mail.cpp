// SPDX-License-Identifier: Apache-2.0
//
// Begin of a run, and the messages that were not received at its end.
#include "mail/mail.hpp"

#include <utility>

#include <pleat/runtime/detail/memory.hpp>

namespace pleat::detail {

void mail::start(bool strict) {
  strict_ = strict;
  delivered_ = {};
  moved_ = false;
  if (outside_.size() != vps_.plan->folding.processors())
    outside_ = std::vector<outbox>(vps_.plan->folding.processors());
}

void mail::discard_inbox(vp_state& x) noexcept {
  if (x.inbox == nullptr) return;
  record* r = std::exchange(x.inbox->next, nullptr);  // the ring becomes a list
  while (r != nullptr) {
    record* next = r->next;
    discard_payload(r->kind, r->payload());
    if (r->home == rescued)
      give_back_memory(r);
    else
      --unreceived_[r->home];
    r = next;
  }
  x.inbox = nullptr;
}

void mail::discard() noexcept {
  inside_.discard();
  leftover_ = false;
  for (outbox& box : outside_) box.discard();
  before_.discard();
  behind_.discard();
  for (std::size_t to = 0; to < vps_.plan->workers.size(); ++to) vps_.plan->left(to).clear();
  for (const membership& p : vps_.shared().all) p.where->boxes.discard_from(p.member);
  for (std::size_t rank = vps_.ranks.first; vps_.first != nullptr && rank < vps_.ranks.last; ++rank)
    discard_inbox(vps_.at(rank));
  for (inbox_pool& pool : pools_) pool.clear();
  unreceived_.fill(0);
}

void mail::release_memory() noexcept {
  inside_.bytes().release();
  outside_.clear();
  before_.bytes().release();
  behind_.bytes().release();
  for (inbox_pool& pool : pools_) pool.records.release();
}

}  // namespace pleat::detail
