// SPDX-License-Identifier: Apache-2.0
//
// Plan and begin of a run, packing of messages to other workers, and messages never received.
#include "mail/mail.hpp"

#include <bit>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>

namespace pleat::detail {

run_plan::run_plan(std::size_t v, const process_layout& all, const remote_part_maker& make_part)
    : folding(v, std::min(v, all.workers())), first_worker(all.first_worker(all.self())) {
  const std::size_t processors = folding.processors();
  const std::size_t behind_here =
      std::min(processors, first_worker + all.workers_of(all.self()));  // one past the last here
  const std::size_t here = behind_here > first_worker ? behind_here - first_worker : 0;
  workers.resize(std::max<std::size_t>(here, 1));  // worker 0 exists even if it has no VPs
  left_ = std::vector<leftovers<leftover>>(workers.size());
  for (memberships& s : workers) {
    s.lower.fill(-1);
    s.upper.fill(-1);
  }
  if (here == 0) return;
  for (unsigned label = 0; label < label_count(v); ++label) {
    // Goes from the border before this process's first worker to the border behind its last.
    for (std::size_t w = first_worker == 0 ? 0 : first_worker - 1;
         w < behind_here && w + 1 < processors;) {
      // The cluster across the border between w and w + 1, if there is one.
      const rank_range cluster = cluster_of(v, folding.ranks(w).last - 1, label);
      const std::size_t last = folding.owner(cluster.last - 1) + 1;
      if (last == w + 1) {
        ++w;
        continue;
      }
      const std::size_t first = folding.owner(cluster.first);
      const std::size_t first_here = std::max(first, first_worker);
      const std::size_t last_here = std::min(last, behind_here);
      std::unique_ptr<remote_part> beyond;
      if (first != first_here || last != last_here)
        beyond = make_part(first, last, last_here - first_here);
      clusters.push_back(std::make_unique<shared_cluster>(
          label, cluster, first_here - first_worker, last_here - first_worker, std::move(beyond)));
      if (clusters.back()->beyond != nullptr) crossings.push_back(clusters.back().get());
      for (std::size_t member = first_here; member < last_here; ++member) {
        memberships& s = workers[member - first_worker];
        const auto index = static_cast<std::int16_t>(s.all.size());
        const rank_range ranks = intersect(cluster, folding.ranks(member));
        s.all.push_back({clusters.back().get(), ranks, member - first_here});
        if (member > first) s.lower[label] = index;
        if (member + 1 < last) s.upper[label] = index;
      }
      w = last - 1;
    }
  }
}

std::uint64_t run_plan::begin_run() {
  // Drops messages of other processes that arrived after the last run ended here.
  for (shared_cluster* const m : crossings) m->beyond->begin();
  for (std::size_t to = 0; !crossings.empty() && to < workers.size(); ++to) left(to).clear();
  if (first_epoch_ > forever - 2 * epochs_of_run) {
    for (const auto& cluster : clusters) cluster->barrier.reset();
    first_epoch_ = 0;
  }
  return std::exchange(first_epoch_, first_epoch_ + epochs_of_run);
}

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

// Packing of messages to other workers: before a barrier is announced, and as leftovers.

bool mail::delivers_all(const outbox& from, unsigned label) const noexcept {
  return static_cast<unsigned>(std::bit_width(from.reach())) <= vps_.labels - label;
}

void mail::pack(const membership& p) {
  shared_cluster& cluster = *p.where;
  const std::uint64_t epoch = p.epoch + 1;  // of the next arrival
  outbox* const outboxes = outside_.data() + vps_.plan->first_worker;
  timed packing(times_);
  for (std::size_t to = cluster.first_worker; to < cluster.last_worker; ++to) {
    if (to == vps_.worker || outboxes[to].empty()) continue;
    if (outboxes[to].position() >= worth_a_stamp)
      packing.start(activity::communication, cluster.label);
    const std::size_t receiver = to - cluster.first_worker;
    if (pack(outboxes[to], cluster.boxes.of_sender(p.member, receiver, epoch), cluster.label,
             epoch))
      cluster.boxes.announce(p.member, receiver, epoch);
  }
  if (cluster.beyond != nullptr) [[unlikely]]
    moved_ |= cluster.beyond->pack(p, vps_, outside_, times_);
}

bool mail::pack(outbox& from, mailbox& to, unsigned label, std::uint64_t epoch) {
  moved_ = true;
  to.discard();
  if (delivers_all(from, label)) {
    from.move_to(to.buffer);
  } else {
    outbox picked(std::move(to.buffer));
    from.filter(
        0, [&](const record& r) { return !vps_.delivers(r, label); },
        [&](const record& r) { picked.append(r); });
    picked.move_to(to.buffer);
    if (to.buffer.empty()) return false;
  }
  to.fill(epoch);
  return true;
}

void mail::leave_behind(const membership& p) {
  const shared_cluster& cluster = *p.where;
  outbox* const outboxes = outside_.data() + vps_.plan->first_worker;
  if (cluster.beyond != nullptr) moved_ |= cluster.beyond->leave_behind(p, vps_, outside_);
  for (std::size_t to = cluster.first_worker; to < cluster.last_worker; ++to) {
    if (to == vps_.worker || outboxes[to].empty()) continue;
    leftover left;
    outboxes[to].filter(
        0, [&](const record& r) { return !vps_.delivers(r, cluster.label); },
        [&](const record& r) { left.messages.append(r); });
    if (left.messages.empty()) continue;  // all of them wait for a barrier of more VPs
    moved_ = true;
    left.last_arrivals = vps_.shared().last_arrivals();
    vps_.plan->left(to).put(std::move(left));
  }
}

void mail::collect_left(leftovers<leftover>& from, const membership& p) {
  from.collect([&](leftover& left) {
    const bool due = std::ranges::any_of(left.last_arrivals, [&](const last_arrival& last) {
      return last.label == p.where->label && last.first == p.where->ranks.first &&
             last.epoch < p.arrivals();
    });
    if (!due) return false;
    left.messages.filter(
        0, [](const record&) { return false; }, [&](const record& r) { inside_.append(r); });
    leftover_ = true;  // they wait for a barrier that joins their VPs
    return true;
  });
}

}  // namespace pleat::detail
