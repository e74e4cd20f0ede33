// SPDX-License-Identifier: Apache-2.0
#include "rendezvous.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace pleat::detail {

namespace {

bool differ(const rendezvous::announcement& a, const rendezvous::announcement& b) noexcept {
  return a.stamp != b.stamp || a.bytes != b.bytes;
}

}  // namespace

rendezvous::rendezvous(const fold& folding, const segment& in)
    : first_worker_(folding.owner(in.first)),
      groups_(folding.owner(in.first + in.size - 1) + 1 - first_worker_),
      table_(groups_.size() == in.size ? 0 : 2 * in.size),
      stride_(is_of_single_ranks() ? sizeof(announcement) + most_in_announcement : cache_line),
      lines_(take_memory(2 * groups_.size() * stride_, destructive_distance), &give_back_memory) {
  static_assert((sizeof(announcement) + most_in_announcement) % cache_line == 0);
  const rank_range all{in.first, in.first + in.size};
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    groups_[k].members = intersect(all, folding.ranks(first_worker_ + k)).size();
    for (const std::uint64_t epoch : {std::uint64_t{0}, std::uint64_t{1}})
      new (line_at(k, epoch)) announcement;
  }
}

bool rendezvous::completed(std::size_t group, std::uint64_t epoch, bool compares) noexcept {
  worker_group& own = groups_[group];
  if (own.passed >= epoch) return true;
  const announcement& ours = line(group, epoch);
  for (; own.next < groups_.size(); ++own.next) {
    const announcement& one = line(own.next, epoch);
    // acquire: pairs with the release in arrive, so that what its ranks have brought is there
    if (one.epoch.load(std::memory_order_acquire) != epoch) return false;
    if (compares && differ(one, ours)) own.other = &one;
  }
  own.next = 0;
  own.passed = epoch;
  return true;
}

shown rendezvous_awaiter::await_resume() const {
  const auto* const other = waits.at->at(waits.group).other;
  if (other != nullptr) [[unlikely]]
    on->differs(other->rank, other->stamp, other->bytes,
                waits.at->line(waits.group, waits.epoch).bytes);
  return waits.at->all(waits.epoch);
}

namespace {

/// Arrives at the next epoch, which the last of a group announces.
rendezvous_awaiter arrive(endpoint& on, rendezvous& here, std::size_t group, bool compares) {
  rendezvous::worker_group& mine = here.at(group);
  const std::uint64_t epoch = mine.passed + 1;
  if (++mine.come == mine.members) {
    mine.come = 0;
    // Pairs with the acquire in completed.
    here.line(group, epoch).epoch.store(epoch, std::memory_order_release);
    const segment& all = on.where();
    vp_access::notify(on.me(), {all.first, all.first + all.size});
  }
  return {&on, {&here, group, epoch, compares}};
}

/// Arrives with a choice; show(memory) writes what the rank shows.
template <class Show>
rendezvous_awaiter arrive_with(endpoint& on, std::size_t bytes, const Show& show) {
  rendezvous& here = on.shared_rendezvous();
  const std::size_t group = here.group_of(vp_access::worker_of(on.me()));
  const rendezvous::worker_group& mine = here.at(group);
  rendezvous::announcement& ours = here.line(group, mine.passed + 1);
  // Before the line that others look at, which they would take away in between.
  show(here.place(on.rank(), mine.passed + 1));
  if (mine.come == 0) {
    ours.stamp = on.stamp();
    ours.bytes = bytes;
    ours.rank = on.rank();
  } else if (ours.stamp != on.stamp() || ours.bytes != bytes) {
    on.differs(ours.rank, ours.stamp, ours.bytes, bytes);
  }
  return arrive(on, here, group, true);
}

}  // namespace

rendezvous_awaiter meet(endpoint& on, std::size_t bytes, const buffers& memory) {
  return arrive_with(on, bytes, [&](std::byte* place) { new (place) buffers(memory); });
}

rendezvous_awaiter meet(endpoint& on, std::size_t bytes, const std::byte* data,
                        std::size_t data_bytes) {
  return arrive_with(on, bytes, [&](std::byte* place) {
    // The line of the announcement last, as above.
    const std::size_t first = std::min(data_bytes, rendezvous::alignment);
    if (data_bytes > first) std::memcpy(place + first, data + first, data_bytes - first);
    if (first != 0) std::memcpy(place, data, first);
  });
}

rendezvous_awaiter part(endpoint& on) {
  rendezvous& here = on.shared_rendezvous();
  return arrive(on, here, here.group_of(vp_access::worker_of(on.me())), false);
}

}  // namespace pleat::detail
