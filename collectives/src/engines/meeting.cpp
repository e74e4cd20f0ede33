// SPDX-License-Identifier: Apache-2.0
#include "meeting.hpp"

namespace pleat::detail {

namespace {

bool differ(const meeting::party::choice& a, const meeting::party::choice& b) noexcept {
  return a.stamp != b.stamp || a.bytes != b.bytes;
}

}  // namespace

meeting::meeting(const fold& folding, const segment& in)
    : first_worker_(folding.owner(in.first)),
      parties_(folding.owner(in.first + in.size - 1) + 1 - first_worker_),
      memory_(in.size),
      sent_(in.size) {
  const rank_range all{in.first, in.first + in.size};
  for (std::size_t k = 0; k < parties_.size(); ++k)
    parties_[k].own.members = intersect(all, folding.ranks(first_worker_ + k)).size();
}

bool meeting::all_have_come(party& at, std::uint64_t epoch) noexcept {
  if (at.own.passed >= epoch) return true;
  for (; at.own.next < parties_.size(); ++at.own.next) {
    const party& one = parties_[at.own.next];
    // acquire: pairs with the release in meet, so that what its ranks have brought is there
    if (one.announced.load(std::memory_order_acquire) < epoch) return false;
    const auto& theirs = one.chosen[epoch & 1];
    if (differ(theirs, at.chosen[epoch & 1])) at.own.other = &theirs;
  }
  at.own.next = 0;
  at.own.passed = epoch;
  return true;
}

void meeting_awaiter::await_resume() const {
  if (const auto* other = waits.with->own.other; other != nullptr) [[unlikely]]
    on->differs(other->rank, other->stamp, other->bytes, waits.with->chosen[waits.epoch & 1].bytes);
}

meeting_awaiter meet(endpoint& on, std::size_t bytes) {
  meeting& here = on.place();
  meeting::party& mine = here.party_of(vp_access::worker_of(on.me()));
  const std::uint64_t epoch = mine.own.passed + 1;
  const meeting::party::choice chosen{on.stamp(), bytes, on.rank()};
  auto& theirs = mine.chosen[epoch & 1];
  if (mine.own.come == 0) {
    theirs = chosen;
  } else if (differ(theirs, chosen)) {
    on.differs(theirs.rank, theirs.stamp, theirs.bytes, bytes);
  }
  if (++mine.own.come == mine.own.members) {
    mine.own.come = 0;
    // Pairs with the acquire in all_have_come.
    mine.announced.store(epoch, std::memory_order_release);
    const segment& all = on.where();
    vp_access::notify(on.me(), {all.first, all.first + all.size});
  }
  return {&on, {&here, &mine, epoch}};
}

}  // namespace pleat::detail
