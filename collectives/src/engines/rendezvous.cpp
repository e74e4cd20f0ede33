// SPDX-License-Identifier: Apache-2.0
#include "rendezvous.hpp"

namespace pleat::detail {

namespace {

bool differ(const rendezvous::worker_group::choice& a,
            const rendezvous::worker_group::choice& b) noexcept {
  return a.stamp != b.stamp || a.bytes != b.bytes;
}

}  // namespace

rendezvous::rendezvous(const fold& folding, const segment& in)
    : first_worker_(folding.owner(in.first)),
      groups_(folding.owner(in.first + in.size - 1) + 1 - first_worker_),
      memory_(in.size),
      sent_(in.size) {
  const rank_range all{in.first, in.first + in.size};
  for (std::size_t k = 0; k < groups_.size(); ++k)
    groups_[k].own.members = intersect(all, folding.ranks(first_worker_ + k)).size();
}

bool rendezvous::completed(worker_group& at, std::uint64_t epoch) noexcept {
  if (at.own.passed >= epoch) return true;
  for (; at.own.next < groups_.size(); ++at.own.next) {
    const worker_group& one = groups_[at.own.next];
    // acquire: pairs with the release in meet, so that what its ranks have brought is there
    if (one.announced.load(std::memory_order_acquire) < epoch) return false;
    const auto& theirs = one.chosen[epoch & 1];
    if (differ(theirs, at.chosen[epoch & 1])) at.own.other = &theirs;
  }
  at.own.next = 0;
  at.own.passed = epoch;
  return true;
}

void rendezvous_awaiter::await_resume() const {
  if (const auto* other = waits.with->own.other; other != nullptr) [[unlikely]]
    on->differs(other->rank, other->stamp, other->bytes, waits.with->chosen[waits.epoch & 1].bytes);
}

rendezvous_awaiter meet(endpoint& on, std::size_t bytes) {
  rendezvous& here = on.shared_rendezvous();
  rendezvous::worker_group& mine = here.group_of(vp_access::worker_of(on.me()));
  const std::uint64_t epoch = mine.own.passed + 1;
  const rendezvous::worker_group::choice chosen{on.stamp(), bytes, on.rank()};
  auto& theirs = mine.chosen[epoch & 1];
  if (mine.own.come == 0) {
    theirs = chosen;
  } else if (differ(theirs, chosen)) {
    on.differs(theirs.rank, theirs.stamp, theirs.bytes, bytes);
  }
  if (++mine.own.come == mine.own.members) {
    mine.own.come = 0;
    // Pairs with the acquire in completed.
    mine.announced.store(epoch, std::memory_order_release);
    const segment& all = on.where();
    vp_access::notify(on.me(), {all.first, all.first + all.size});
  }
  return {&on, {&here, &mine, epoch}};
}

}  // namespace pleat::detail
